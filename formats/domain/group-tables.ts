/**
 * The group of each wording of license statuses and types. Wordings are taken from the licensing bodies' public
 * rosters; groups.ts compares them ignoring case, accents and punctuation.
 *
 * Invariants: a wording occurs once per table; `*` holds wordings with the same meaning in every state, which a
 * state's own entry overrides. Wordings are separated by `|`.
 */

/** Values of `license_status_group`, in the order of the documentation. */
export const STATUS_GROUPS = [
	"active",
	"inactive",
	"expired",
	"suspended",
	"revoked",
	"pending",
	"deceased",
	"other",
] as const;
export type StatusGroup = (typeof STATUS_GROUPS)[number];

/** Values of `member_type_group`, in the order of the documentation. */
export const TYPE_GROUPS = [
	"salesperson",
	"broker",
	"associate_broker",
	"appraiser",
	"inspector",
	"company",
	"property_manager",
	"other",
] as const;
export type TypeGroup = (typeof TYPE_GROUPS)[number];

/** Wordings by group, by state or `*`. */
export type GroupWordings<G extends string> = Readonly<Record<string, Partial<Readonly<Record<G, string>>>>>;

/**
 * A licence that may be used is active, even if restricted or on probation. A licence surrendered by its holder
 * is inactive, one withdrawn by the body revoked, and one not renewed expired, whether or not it is renewable.
 */
export const STATUS_WORDINGS: GroupWordings<StatusGroup> = {
	"*": {
		active:
			"Active|Actv|Current|Licensed|Issued|Registered|Authorized|Authorised|Approved|Valid|Clear|Open|" +
			"Good Standing|In Good Standing|Active - Good Standing|Active in Good Standing|Current - Good Standing|" +
			"License Active|Active License|Active - Current|Current Active|Clear Active|Active - Renewed|Renewed|" +
			"Active in Renewal|Active - Late Renewal|Active - Renewal in Process|Active - Pending Renewal|" +
			"Active - Renewal Pending|Active - Eligible for Renewal|Active - Non-Resident|Active - Nonresident|" +
			"Active - Military|Active Military|Active - Attached|Active - Affiliated|Active - Employed|Affiliated|" +
			"Active with Conditions|Active - Conditions|Active with Restrictions|Active - Restricted|Active Restricted|" +
			"Active - Probation|Active Probation|Probation - Active|Probation, Active|Active (Probated)|Probated|" +
			"Probation|On Probation|Current - Restricted|Current - Probation|Licensed (Restricted)|Licensed - Conditions|" +
			"Restricted|Conditional|Registered - Conditions|Provisional|Temporary|Limited|Current - Conditional|" +
			"Active - Disciplinary|Active - Fine|Active - Stayed Suspension|Active - Reprimand|" +
			"En vigueur|En vigueur avec restriction|En vigueur avec restrictions|Actif|Active - avec restrictions|" +
			"Valide|Autorisé|Activo|Activa|Vigente|Licencia vigente",
		inactive:
			"Inactive|Inac|Inac-Ref|Inactv|Voluntary Inactive|Inactive - Voluntary|Involuntary Inactive|" +
			"Inactive - Involuntary|Inactive - Referral Only|Referral|Referral Only|Inactive - Referral|" +
			"Current Inactive|Current - Inactive|Licensed NBA|No Broker Affiliation|Licensed - No Broker Affiliation|" +
			"Not Affiliated|Unaffiliated|Unassigned|Not Employed|Unemployed|Active - Unaffiliated|In Escrow|Escrow|" +
			"On Hold|Hold|Parked|Dormant|In Referral|Not Authorized to Trade|Not Authorized|Not Authorised|" +
			"Not Licensed|Not Registered|Withdrawn|Withdrawn by Licensee|Inactif|Inactive - No Broker|" +
			"Inactive - Military|Inactive - Renewed|Inactive - Good Standing|Inactive - Incomplete|" +
			"Inactive - Continuing Education|Inactive - No CE|Inactive - CE Deficient|Inactive - Company Closed|" +
			"Inactive - Terminated|Inactive in Renewal|Inactive - Status|Inactive License|License Inactive|" +
			"Retired|Inactive - Retired|Non-Practicing|Nonpracticing|Surrendered|Surr|Voluntary Surrender|" +
			"Voluntarily Surrendered|Surrendered - Voluntary|Voluntary Relinquishment|Relinquished|Resigned|" +
			"Terminated|Voluntarily Terminated|Voluntary Termination|Cancelled|Canceled|Canceled Officer|" +
			"Cancelled Officer|Cancelled - Voluntary|Canceled - Voluntary|Cancelled by Request|Canceled by Request|" +
			"Cancelled at Request of Licensee|Closed|Deleted|Dissolved|Out of Business|Upgraded|Replaced|Superseded|" +
			"Transferred|Transferred Out|Suspendu à la demande du titulaire|Inactive à la demande du titulaire|" +
			"Abandonné|Retiré|Cessé|Inactivo|Inactiva|Cancelada|Cancelado",
		expired:
			"Expired|Exp|Exp>1yr|Expd|Lapsed|Lapse|Lapsed License|License Expired|License Lapsed|Null and Void|Null & Void|" +
			"Void|Delinquent|Delinquent, Active|Delinquent, Inactive|Delinquent - Active|Delinquent - Inactive|" +
			"Not Renewed|Non-Renewed|Nonrenewed|Non Renewal|Nonrenewal|Failed to Renew|Failure to Renew|Late Renewal|" +
			"Late|Past Due|Renewal Past Due|Expired - Renewable|Expired - Not Renewable|Expired - Non-Renewable|" +
			"Expired - Grace Period|Expired in Grace Period|Grace Period|Expired Less Than 6 Months|" +
			"Expired More Than 6 Months|Expired less than 1 year|Expired more than 1 year|Expired over 1 year|" +
			"Expired - Inactive|Expired Inactive|Inactive - Expired|Inactive Expired|Expired Active|Expired - Active|" +
			"Expired - Late Renewal|Expired - Reinstatable|Expired - Cannot Reinstate|Lapsed - Nonrenewal|" +
			"Lapsed - Renewable|Inactive - Lapsed|Cancelled - Nonrenewal|Canceled - Non-Renewal|Forfeited|" +
			"Expiré|Expirée|Échu|Échue|Non renouvelé|Expirado|Expirada|Vencido|Vencida|No renovada",
		suspended:
			"Suspended|Susp|License Suspended|Suspension|Suspended - Disciplinary|Suspended - Child Support|" +
			"Suspended - Administrative|Administrative Suspension|Administratively Suspended|Suspended, Inactive|" +
			"Suspended - Inactive|Suspended, Active|Suspended - Active|Emergency Suspension|Emergency Suspended|" +
			"Summary Suspension|Summarily Suspended|Immediate Suspension|Interim Suspension|Temporary Suspension|" +
			"Temporarily Suspended|Suspended - Nonpayment|Suspended - Non-Payment|Suspended - Taxes|Suspended - Tax|" +
			"Suspended - Failure to Comply|Suspended - Bond|Suspended - Insurance|Suspended - Board Order|" +
			"Active - Suspended|Disciplined|Cease & Desist|Cease and Desist|Suspendu|Suspendue|Suspendido|Suspendida",
		revoked:
			"Revoked|Rvkd|Revkd|License Revoked|Revocation|Revoked - Board Order|Revoked - Disciplinary|" +
			"Permanently Revoked|Revoked - Permanent|Revoked, Inactive|Summarily Revoked|Surrendered in Lieu of Revocation|" +
			"Surrender in Lieu of Discipline|Surrendered - Disciplinary|Annulled|Rescinded|Révoqué|Révoquée|" +
			"Revocado|Revocada",
		pending:
			"Pending|Applicant|Application|Application Pending|Application Received|Application in Process|" +
			"Application Under Review|In Process|Processing|In Review|Under Review|Pending Review|Pending Approval|" +
			"Pending Issuance|Pending License|Pending Renewal|Pending Transfer|Pending Affiliation|Pending Exam|" +
			"Pending Fingerprints|Pending Background Check|Pending Payment|Pending Reinstatement|" +
			"Pending Reactivation|Awaiting Exam|Exam Eligible|Eligible|Approved for Exam|Approved to Test|" +
			"Conditionally Approved|Incomplete|Incomplete Application|En attente|En traitement|Pendiente|En trámite",
		deceased:
			"Deceased|Dcsd|Decd|Dead|Licensee Deceased|Inactive - Deceased|Décédé|Décédée|Fallecido|Fallecida",
		other: "Unknown|Denied|Application Denied|Application Withdrawn|Refused|Not Issued|Never Issued|N/A",
	},
	MD: {
		active: "A",
		inactive: "I",
		expired: "E|L",
		suspended: "S",
		revoked: "R",
		deceased: "D",
		pending: "P",
	},
	OK: {
		active: "A",
		inactive: "I",
		expired: "E|L",
		suspended: "S",
		revoked: "R",
		deceased: "D",
		pending: "P",
	},
};

/** In states with a single kind of licence everyone is a broker; provisional and affiliate brokers work under one. */
export const TYPE_WORDINGS: GroupWordings<TypeGroup> = {
	"*": {
		salesperson:
			"Salesperson|Sales Person|Salesman|Saleswoman|Real Estate Salesperson|Real Estate Sales Person|" +
			"Licensed Salesperson|Licensed Real Estate Salesperson|Resident Salesperson|Nonresident Salesperson|" +
			"Non-Resident Salesperson|Salesperson - Resident|Salesperson - Nonresident|Salesperson License|" +
			"Sales Agent|Real Estate Sales Agent|Sales Associate|Real Estate Sales Associate|Sales Licensee|" +
			"Agent|Real Estate Agent|Licensed Agent|Associate|Real Estate Associate|Representative|" +
			"Real Estate Representative|Trading Representative|Trading Services Representative|" +
			"Registrant Salesperson|Provisional Broker|Affiliate Broker|Residential Leasing Agent|Leasing Agent|" +
			"Reference Salesperson|Referral Salesperson|Salesperson Referral|Time-Share Salesperson|Timeshare Salesperson|" +
			"Timeshare Agent|Cemetery Salesperson|Provisional Salesperson|Temporary Salesperson|SP|SA|SAL|RES|RS|" +
			"Agent immobilier|Vendedor de Bienes Raíces|Vendedor|Vendedora de Bienes Raíces",
		broker:
			"Broker|Real Estate Broker|Licensed Broker|Licensed Real Estate Broker|Individual Broker|Broker Individual|" +
			"Broker - Individual|Resident Broker|Nonresident Broker|Non-Resident Broker|Broker - Resident|" +
			"Broker - Nonresident|Broker License|Sole Proprietor Broker|Broker - Sole Proprietor|Self-Employed Broker|" +
			"Qualifying Broker|Principal Broker|Principal Real Estate Broker|Designated Broker|" +
			"Designated Real Estate Broker|Managing Broker|Designated Managing Broker|Executive Broker|Employing Broker|" +
			"Independent Broker|Responsible Broker|Supervising Broker|Supervisory Broker|Broker in Charge|" +
			"Broker-in-Charge|Broker of Record|Broker Owner|Broker/Owner|Broker Officer|Broker - Officer|Officer|" +
			"Designated Officer|Licensed Officer|Corporate Broker|Corporation Broker|Limited Liability Company Broker|" +
			"Partnership Broker|Trade Name Broker|Broker Manager|Branch Manager|Branch Broker|Office Manager|" +
			"Broker Principal|Responsible Managing Employee|Business Broker|RB|REB|BR|BRK|" +
			"Courtier immobilier|Courtier immobilier résidentiel|Courtier immobilier commercial|" +
			"Courtier immobilier agréé|Courtier immobilier agréé DA|Courtier agréé|Dirigeant d'agence|" +
			"Corredor de Bienes Raíces|Corredora de Bienes Raíces|Corredor",
		associate_broker:
			"Associate Broker|Real Estate Associate Broker|Licensed Associate Broker|Broker Associate|Broker-Associate|" +
			"Associate Real Estate Broker|Broker Sales|Broker Sales Associate|Broker-Salesperson|Broker Salesperson|" +
			"Broker/Salesperson|Associated Broker|Broker - Associate|Non-Supervising Broker|AB|BA|ASB|" +
			"Courtier associé|Corredor Asociado|Corredora Asociada",
		appraiser:
			"Appraiser|Real Estate Appraiser|Licensed Appraiser|Licensed Real Estate Appraiser|" +
			"Licensed Residential Appraiser|Licensed Residential Real Estate Appraiser|Certified Appraiser|" +
			"Certified Residential Appraiser|Certified Residential Real Estate Appraiser|Certified General Appraiser|" +
			"Certified General Real Estate Appraiser|State Certified General Appraiser|" +
			"State Certified Residential Appraiser|State Licensed Appraiser|Appraiser Trainee|Trainee Appraiser|" +
			"Registered Trainee Appraiser|Registered Appraiser Trainee|Appraiser Assistant|Assistant Appraiser|" +
			"Associate Real Estate Trainee Appraiser|Provisional Appraiser|Supervisory Appraiser|" +
			"Temporary Appraiser|Nonresident Appraiser|Évaluateur|Évaluateur agréé|Tasador",
		inspector:
			"Inspector|Home Inspector|Licensed Home Inspector|Certified Home Inspector|Registered Home Inspector|" +
			"Associate Home Inspector|Professional Inspector|Professional Real Estate Inspector|Real Estate Inspector|" +
			"Apprentice Inspector|Home Inspector Trainee|Inspecteur en bâtiment|Inspector de Viviendas",
		company:
			"Company|Firm|Real Estate Company|Real Estate Firm|Real Estate Brokerage|Real Estate Business|" +
			"Real Estate Corporation|Real Estate Partnership|Real Estate Limited Liability Company|Real Estate LLC|" +
			"Brokerage|Brokerage Firm|Brokerage Company|Broker Corporation|Broker Corporation or LLC|Broker Partnership|" +
			"Broker LLC|Broker Company|Broker Business Entity|Broker - Corporation|Broker - LLC|Broker - Partnership|" +
			"Corporation|Partnership|Limited Liability Company|LLC|Business Entity|Entity|Organization|Sole Proprietorship|" +
			"Agency|Real Estate Agency|Branch|Branch Office|Real Estate Branch Office|Broker Branch Office|Main Office|" +
			"Real Estate Office|Real Estate Principal Office|Principal Office|Office|Office License|Trade Name|" +
			"Licensed Real Estate Broker Corporation|Licensed Real Estate Broker Limited Liability Company|" +
			"Licensed Real Estate Broker Partnership|Licensed Real Estate Limited Liability Firm|" +
			"Licensed Real Estate Broker LLC|Personal Real Estate Corporation|Registered Firm|Appraisal Management Company|" +
			"Additional Office|Team|Real Estate Team|FIRM|BRCH|CORP|CO|Professional Corporation|Brokerage Branch|" +
			"Agence immobilière|Agence|Société par actions|Place d'affaires|Empresa de Bienes Raíces|Empresa|Corporación",
		property_manager:
			"Property Manager|Real Estate Property Manager|Licensed Property Manager|Property Management|" +
			"Property Management Permit|Residential Property Manager|Resident Property Manager|" +
			"Property Management Licensee|Rental Property Management Representative|Rental Property Manager|" +
			"Strata Manager|Strata Management Representative|Strata Property Management Representative|" +
			"Condominium Manager|Condominium Management Representative|Condominium Hotel Operator|Community Manager|" +
			"Community Association Manager|Common Interest Community Manager|Vacation Rental Manager|" +
			"Gestionnaire immobilier|Administrador de Propiedades",
		other:
			"Instructor|Real Estate Instructor|School|Real Estate School|Education Provider|Course Provider|Developer|" +
			"Subdivider|Auctioneer|Easement or Right-of-Way Agent|ERW Registrant|Other|Unknown|N/A",
	},
	TX: { inspector: "Professional|Apprentice|Real Estate" },
};
