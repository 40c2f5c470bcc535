/**
 * The wording of licensing bodies: how each set of them spells license statuses and license types.
 *
 * Invariants: a status set has wordings for every {@link StatusClass}; a type set has wordings for every {@link
 * TypeClass}. Wordings are written as listed, independent of the letter style that the body uses for names.
 */

import { type Sampler, sample, samplerOf } from "./random.js";
import { type TextTable, textTable, weightedList } from "./text-table.js";

export const STATUS_CLASSES = ["active", "inactive", "lapsed", "disciplined"] as const;
export type StatusClass = (typeof STATUS_CLASSES)[number];

/** An individual who works for a broker, one who may run an office, a broker, a company. */
export const TYPE_CLASSES = ["salesperson", "associate", "broker", "firm"] as const;
export type TypeClass = (typeof TYPE_CLASSES)[number];

type WordSets<C extends string> = Readonly<Record<string, Readonly<Record<C, string>>>>;

const STATUS_WORDS: WordSets<StatusClass> = {
	plain: {
		active: "Active*400|Active - Probation",
		inactive: "Inactive",
		lapsed: "Expired",
		disciplined: "Suspended*5|Revoked*3|Surrendered*2|Deceased",
	},
	upper: {
		active: "ACTIVE*500|ACTIVE WITH CONDITIONS",
		inactive: "INACTIVE*9|VOLUNTARY INACTIVE",
		lapsed: "EXPIRED*8|LAPSED",
		disciplined: "SUSPENDED*4|REVOKED*3|SURRENDERED*2|DECEASED",
	},
	abbreviated: {
		active: "Actv",
		inactive: "Inac*8|Inac-Ref",
		lapsed: "Exp*4|Exp>1yr",
		disciplined: "Susp*4|Rvkd*3|Surr|Dcsd",
	},
	current: {
		active: "Current*300|Current - Restricted",
		inactive: "Current Inactive*6|Inactive",
		lapsed: "Lapsed*6|Null and Void",
		disciplined: "Suspended*4|Revoked*3|Relinquished",
	},
	florida: {
		active: "Current,Active*200|Probation,Active",
		inactive: "Current,Inactive*5|Involuntary Inactive",
		lapsed: "Delinquent,Active*2|Delinquent,Inactive|Null & Void",
		disciplined: "Suspended,Inactive*3|Revoked*2|Emergency Suspension",
	},
	licensed: {
		active: "LICENSED*300|LICENSED (RESTRICTED)",
		inactive: "LICENSED NBA",
		lapsed: "EXPIRED*6|CANCELED OFFICER",
		disciplined: "REVOKED*3|SUSPENDED*2|VOLUNTARY SURRENDER|DECEASED",
	},
	letters: { active: "A", inactive: "I", lapsed: "E*4|L", disciplined: "S*3|R*2|D" },
	standing: {
		active: "Active - Good Standing*100|Active-Good Standing*2|Active - Late Renewal",
		inactive: "Inactive - Referral Only|Inactive*4",
		lapsed: "Expired - Renewable*2|Expired - Not Renewable",
		disciplined: "Suspended - Disciplinary*2|Suspended - Child Support|Revoked - Board Order",
	},
	texas: {
		active: "Active*300|Active (Probated)",
		inactive: "Inactive",
		lapsed: "Expired less than 6 months*3|Expired more than 6 months*2",
		disciplined: "Suspended*2|Revoked|Relinquished",
	},
	issued: {
		active: "Licensed*60|licensed|Issued*9",
		inactive: "Not Affiliated*3|In Escrow",
		lapsed: "Not Renewed*3|Expired",
		disciplined: "License Suspended*2|License Revoked|Retired",
	},
	renewal: {
		active: "ACTIVE*50|ACTIVE IN RENEWAL*3|Active",
		inactive: "INACTIVE*5|ON HOLD",
		lapsed: "EXPIRED*3|LATE RENEWAL",
		disciplined: "DISCIPLINED*3|REVOKED*2|CEASE & DESIST",
	},
	registered: {
		active: "Registered*70|Registered - Conditions",
		inactive: "Not Authorized to Trade*3|Inactive",
		lapsed: "Terminated*3|Expired",
		disciplined: "Suspended*3|Revoked",
	},
	authorized: {
		active: "Authorized*40|Licensed",
		inactive: "Not Authorized*3|Withdrawn",
		lapsed: "Not Licensed",
		disciplined: "Suspended*2|Cancelled",
	},
	french: {
		active: "En vigueur*70|En vigueur avec restriction",
		inactive: "Suspendu à la demande du titulaire*2|Inactif",
		lapsed: "Expiré*3|Échu",
		disciplined: "Suspendu*3|Révoqué*2|Décédé",
	},
};

const TYPE_WORDS: WordSets<TypeClass> = {
	salesperson: {
		salesperson: "Salesperson",
		associate: "Associate Broker",
		broker: "Broker*9|Qualifying Broker",
		firm: "Real Estate Company*5|Branch Office",
	},
	upper: {
		salesperson: "REAL ESTATE SALESPERSON",
		associate: "ASSOCIATE BROKER",
		broker: "REAL ESTATE BROKER*9|PRINCIPAL BROKER",
		firm: "REAL ESTATE FIRM*6|BRANCH OFFICE",
	},
	florida: {
		salesperson: "Sales Associate",
		associate: "Broker Sales*9|Broker Associate",
		broker: "Broker",
		firm: "Real Estate Corporation*6|Branch Office*2|Real Estate Partnership",
	},
	texas: {
		salesperson: "Sales Agent",
		associate: "Broker Associate",
		broker: "Broker Individual",
		firm: "Broker Corporation or LLC*9|Broker Partnership",
	},
	california: {
		salesperson: "SALESPERSON",
		associate: "BROKER-ASSOCIATE",
		broker: "BROKER*9|OFFICER",
		firm: "CORPORATION",
	},
	codes: { salesperson: "RES", associate: "AB", broker: "REB", firm: "FIRM*7|BRCH" },
	"one-license": {
		salesperson: "Broker*20|Provisional Broker",
		associate: "Broker",
		broker: "Managing Broker*9|Broker-in-Charge",
		firm: "Licensed Real Estate Broker Corporation*4|Brokerage Firm",
	},
	"one-license-upper": {
		salesperson: "BROKER*20|RESIDENTIAL LEASING AGENT",
		associate: "BROKER",
		broker: "MANAGING BROKER*9|DESIGNATED MANAGING BROKER",
		firm: "LICENSED REAL ESTATE BROKER LIMITED LIABILITY COMPANY|LICENSED REAL ESTATE BROKER CORPORATION*2",
	},
	"northern-types": {
		salesperson: "Sales Agent*8|Affiliate Broker",
		associate: "Associate Broker",
		broker: "Principal Broker*3|Designated Broker*2|Broker",
		firm: "Agency*3|Firm",
	},
	"new-york": {
		salesperson: "REAL ESTATE SALESPERSON",
		associate: "REAL ESTATE ASSOCIATE BROKER",
		broker: "INDIVIDUAL BROKER*3|CORPORATE BROKER*2|LIMITED LIABILITY COMPANY BROKER",
		firm: "REAL ESTATE PRINCIPAL OFFICE*4|REAL ESTATE BRANCH OFFICE",
	},
	island: {
		salesperson: "Vendedor de Bienes Raíces",
		associate: "Corredor Asociado",
		broker: "Corredor de Bienes Raíces",
		firm: "Empresa de Bienes Raíces",
	},
	ontario: {
		salesperson: "Salesperson*9|SALESPERSON",
		associate: "Broker",
		broker: "Broker of Record",
		firm: "Brokerage",
	},
	representative: {
		salesperson: "Representative*4|Trading Representative*3|Rental Property Management Representative",
		associate: "Associate Broker",
		broker: "Managing Broker",
		firm: "Brokerage*6|Personal Real Estate Corporation*3",
	},
	prairie: {
		salesperson: "Associate*6|Salesperson",
		associate: "Associate Broker",
		broker: "Broker*5|Broker/Owner",
		firm: "Brokerage",
	},
	french: {
		salesperson: "Courtier immobilier résidentiel",
		associate: "Courtier immobilier",
		broker: "Courtier immobilier agréé DA*2|Dirigeant d'agence",
		firm: "Agence immobilière",
	},
};

/** Wordings of one set, drawn by class. */
export class Vocabulary {
	/** The wordings as CSV text before quoting, indexed by the results of {@link draw}. */
	readonly words: TextTable;
	private readonly samplers: readonly Sampler[];
	private readonly firsts: readonly number[];

	constructor(lists: readonly string[]) {
		const parsed = lists.map(weightedList);
		this.words = textTable(parsed.flatMap((list) => list.texts));
		this.samplers = parsed.map((list) => samplerOf(list.weights, 12));
		let first = 0;
		this.firsts = parsed.map((list) => {
			const own = first;
			first += list.texts.length;
			return own;
		});
	}

	/** Index of a wording for the class at position `classIndex`. */
	draw(classIndex: number, bits: number): number {
		return this.firsts[classIndex] + sample(this.samplers[classIndex], bits);
	}
}

/** The status set of that name, its classes in the order of {@link STATUS_CLASSES}; undefined if there is none. */
export function statusVocabulary(name: string): Vocabulary | undefined {
	const words = STATUS_WORDS[name];
	return words && new Vocabulary(STATUS_CLASSES.map((statusClass) => words[statusClass]));
}

/** The type set of that name, its classes in the order of {@link TYPE_CLASSES}; undefined if there is none. */
export function typeVocabulary(name: string): Vocabulary | undefined {
	const words = TYPE_WORDS[name];
	return words && new Vocabulary(TYPE_CLASSES.map((typeClass) => words[typeClass]));
}
