/**
 * Writes one row of a drop: the fields of {@link SYNTH_COLUMNS}, in their order.
 *
 * A row costs about two microseconds and causes no garbage: its license and person are reused objects, and
 * every text is copied from prepared bytes.
 */

import type { ColumnName } from "../../formats/index.js";
import {
	PHONE_STYLES,
	writeAddress,
	writeEmail,
	writeOfficeEmail,
	writePhone,
	writePostalCode,
} from "./contact-fields.js";
import type { CsvBuffer } from "./csv-buffer.js";
import { calendarMonth, License, readLicense, refreshDay, TYPE_FIRM } from "./license.js";
import { mixSampler, type NameVocabulary } from "./names.js";
import { lettersOf, type Offices, openOffices } from "./offices.js";
import { Person, readPerson, writeFirstName, writeFullName, writeLastName } from "./person.js";
import type { Gazetteer } from "./places.js";
import type { Profile } from "./profiles.js";
import { type Bits, below, chance, draw, type Sampler, sample } from "./random.js";
import { licenseDigits, type Register } from "./registers.js";
import { type Residence, type Residences, residenceIn } from "./residences.js";
import { type Letters, type TextTable, textTable } from "./text-table.js";

/** Columns of a drop; without agent counts the last but one is omitted. */
export const SYNTH_COLUMNS: readonly ColumnName[] = [
	"country",
	"state",
	"member_full_name",
	"member_first_name",
	"member_last_name",
	"member_type",
	"member_address",
	"member_city",
	"member_state_or_province",
	"member_postal_code",
	"office_name",
	"office_broker_name",
	"member_state_license_number",
	"member_license_status",
	"member_license_issued",
	"member_license_expires",
	"member_license_first_issued",
	"member_email",
	"member_preferred_phone",
	"matched_email",
	"matched_phone",
	"agent_count",
	"last_refreshed",
];

/** Shares of rows. */
const MATCHED_EMAIL_SHARE = 0.76;
/** Matching succeeds more often in some states: up to this much above or below the average. */
const MATCHED_EMAIL_SPREAD = 0.06;
const MATCHED_PHONE_SHARE = 0.64;
const PUBLISHED_EMAIL_SHARE = 0.7;
const PUBLISHED_PHONE_SHARE = 0.8;
const ELSEWHERE_SHARE = 0.03;
const NO_HOME_SHARE = 0.012;
const NO_ADDRESS_SHARE = 0.05;
const NO_POSTAL_SHARE = 0.02;
const PADDED_SHARE = 0.0005;
const NO_TYPE_SHARE = 0.001;
const NO_NUMBER_SHARE = 0.0002;
const NO_STATUS_SHARE = 0.0005;
const NO_ISSUED_SHARE = 0.012;
const NO_EXPIRES_SHARE = 0.008;
const NO_FIRST_ISSUED_SHARE = 0.03;
/** Share of dates that are placeholders for an unknown one. */
const ODD_DATE_SHARE = 0.0002;
const STALE_SHARE = 0.02;

const STREAM = {
	matchedEmail: 301,
	matchedPhone: 302,
	email: 303,
	phone: 304,
	elsewhere: 305,
	noHome: 306,
	noAddress: 307,
	noPostal: 308,
	padded: 309,
	noType: 310,
	noNumber: 311,
	noStatus: 312,
	noIssued: 313,
	noExpires: 314,
	noFirstIssued: 315,
	oddDate: 316,
	stale: 317,
	place: 318,
	phoneStyle: 319,
} as const;

const SPACE = 0x20;
/** January 1900 and December 9999, counted from January of year 0. */
const FIRST_MONTH_OF_ALL = 1900 * 12;
const LAST_MONTH_OF_ALL = 9999 * 12 + 11;

/** What all rows of a drop share. */
export interface Surroundings {
	readonly vocabulary: NameVocabulary;
	readonly gazetteer: Gazetteer;
	/** By country. */
	readonly residences: Readonly<Record<"US" | "CA", Residences>>;
	readonly agentCount: boolean;
}

/** Writes the rows of one register in one month. */
export class RowWriter {
	private readonly license = new License();
	private readonly person = new Person();
	private readonly month: number;
	private readonly home: Residence;
	private readonly country: TextTable;
	private readonly mix: Sampler;
	private readonly offices: Offices;
	private readonly emailShare: number;
	private readonly phoneStyle: number;
	private readonly refreshedDay: number;
	private readonly refreshedDayBefore: number;
	private readonly prefixes: TextTable;
	private readonly suffixes: TextTable;
	/** Letters and names of the current row. */
	private letters: Letters = "plain";
	private names: TextTable;

	/** Cost: see {@link openOffices}. `monthNumber` counts from 2000-01. */
	constructor(
		private readonly register: Register,
		monthNumber: number,
		private readonly shared: Surroundings,
		private readonly out: CsvBuffer,
	) {
		const { profile } = register;
		this.month = calendarMonth(monthNumber);
		this.home = residenceIn(profile, shared.gazetteer);
		this.country = textTable([profile.jurisdiction.country]);
		this.mix = mixSampler(profile.mix);
		this.offices = openOffices(register, monthNumber, shared.vocabulary, shared.gazetteer, this.home.places);
		const spread = below(draw(register.key, STREAM.matchedEmail), 2001) / 1000 - 1;
		this.emailShare = MATCHED_EMAIL_SHARE + spread * MATCHED_EMAIL_SPREAD;
		this.phoneStyle = below(draw(register.key, STREAM.phoneStyle), PHONE_STYLES);
		this.refreshedDay = refreshDay(register, this.month);
		this.refreshedDayBefore = refreshDay(register, this.month - 1);
		this.prefixes = textTable(profile.numbers.map((shape) => shape.prefix));
		this.suffixes = textTable(profile.numbers.map((shape) => shape.suffix));
		this.names = shared.vocabulary.lettered.plain;
	}

	write(slot: number): void {
		const { license, register } = this;
		readLicense(register, slot, this.month, license);
		readPerson(license, this.shared.vocabulary, this.mix, this.person);
		this.letters = lettersOf(register, license.person);
		this.names = this.shared.vocabulary.lettered[this.letters];
		this.field(this.country, 0);
		this.field(this.home.state, 0);
		this.writeNames();
		this.writeHome();
		this.writeOffice();
		this.writeLicense();
		this.writeDates();
		this.writePublishedContacts();
		this.writeEnrichment();
		this.writeRefreshed();
		this.out.endRow();
	}

	private field(table: TextTable, index: number): void {
		this.out.text(table, index);
		this.out.endPlain();
	}

	private writeNames(): void {
		const { license, out, person, names, register } = this;
		if (license.type === TYPE_FIRM) {
			out.text(this.offices.names, license.office);
			out.endText();
			out.endPlain();
			out.endPlain();
		} else {
			writeFullName(person, names, register.profile.order, out);
			out.endText();
			writeFirstName(person, names, out);
			out.endPlain();
			writeLastName(person, names, out);
			out.endPlain();
		}
		if (!chance(draw(license.row, STREAM.noType), NO_TYPE_SHARE))
			out.text(register.profile.types.words, license.typeWord);
		out.endText();
	}

	private writeHome(): void {
		const { license, out, letters, shared } = this;
		const { publishes, mix, jurisdiction } = this.register.profile;
		const key = license.home;
		if (chance(draw(key, STREAM.noHome), NO_HOME_SHARE)) {
			for (let field = 0; field < 4; field++) out.endPlain();
			return;
		}
		const elsewhere = draw(key, STREAM.elsewhere);
		const others = shared.residences[jurisdiction.country];
		const lives = chance(elsewhere, ELSEWHERE_SHARE)
			? others.list[sample(others.sampler, draw(elsewhere, 1))]
			: this.home;
		const place = sample(lives.places.sampler, draw(key, STREAM.place));
		if (publishes.address && !chance(draw(key, STREAM.noAddress), NO_ADDRESS_SHARE))
			writeAddress(key, letters, mix === "quebec", out);
		out.endText();
		out.text(shared.gazetteer.cities[letters], lives.places.cities[place]);
		if (chance(draw(license.row, STREAM.padded), PADDED_SHARE)) {
			out.byte(SPACE);
			out.byte(SPACE);
		}
		out.endPlain();
		this.field(lives.state, 0);
		if (!chance(draw(key, STREAM.noPostal), NO_POSTAL_SHARE))
			writePostalCode(
				key,
				shared.gazetteer.postals,
				lives.places.postals[place],
				this.postalStyle(lives),
				out,
			);
		out.endPlain();
	}

	/** The register's own style if the code belongs to its country. */
	private postalStyle(lives: Residence): Profile["postal"] {
		return this.register.profile.jurisdiction.country === lives.profile.jurisdiction.country
			? this.register.profile.postal
			: lives.profile.postal;
	}

	private writeOffice(): void {
		const { license, out, offices } = this;
		if (license.office < 0) {
			// Some systems write blanks for a missing value.
			if (chance(draw(license.row, STREAM.padded), PADDED_SHARE * 4)) out.byte(SPACE);
			out.endPlain();
			out.endPlain();
			return;
		}
		out.text(offices.names, license.office);
		out.endText();
		if (this.register.profile.publishes.broker) out.text(offices.brokers, license.office);
		out.endText();
	}

	private writeLicense(): void {
		const { license, out, register } = this;
		const { numbers, statuses } = register.profile;
		if (!chance(draw(license.person, STREAM.noNumber), NO_NUMBER_SHARE)) {
			const shape = Math.min(license.typeWhenIssued, numbers.length - 1);
			const numbering = register.numberings[shape];
			out.text(this.prefixes, shape);
			out.number(licenseDigits(register, numbering, license.slot, license.generation), numbering.digits);
			out.text(this.suffixes, shape);
		}
		out.endPlain();
		if (!chance(draw(license.row, STREAM.noStatus), NO_STATUS_SHARE))
			out.text(statuses.words, license.statusWord);
		out.endText();
	}

	private writeDates(): void {
		const { license, out } = this;
		const key = license.person;
		const odd = chance(draw(key, STREAM.oddDate), ODD_DATE_SHARE);
		if (!chance(draw(key, STREAM.noIssued), NO_ISSUED_SHARE))
			out.date(license.issuedMonth, license.issuedDay);
		out.endPlain();
		if (odd) out.date(LAST_MONTH_OF_ALL, 31);
		else if (!chance(draw(key, STREAM.noExpires), NO_EXPIRES_SHARE))
			out.date(license.expiresMonth, license.expiresDay);
		out.endPlain();
		if (this.register.profile.publishes.firstIssued) {
			if (odd) out.date(FIRST_MONTH_OF_ALL, 1);
			else if (!chance(draw(key, STREAM.noFirstIssued), NO_FIRST_ISSUED_SHARE))
				out.date(license.firstIssuedMonth, license.firstIssuedDay);
		}
		out.endPlain();
	}

	private writePublishedContacts(): void {
		const { license, out } = this;
		const { publishes, areaCodes } = this.register.profile;
		if (publishes.email) this.writeEmailShare(draw(license.person, STREAM.email), PUBLISHED_EMAIL_SHARE);
		out.endPlain();
		if (publishes.phone) {
			const bits = draw(license.person, STREAM.phone);
			if (chance(bits, PUBLISHED_PHONE_SHARE)) writePhone(bits, areaCodes, this.phoneStyle, out);
		}
		out.endPlain();
	}

	private writeEmailShare(bits: Bits, share: number): void {
		const { license, offices, out } = this;
		if (!chance(bits, share)) return;
		if (license.type === TYPE_FIRM) writeOfficeEmail(offices.domains, license.office, out);
		else writeEmail(bits, this.person, this.shared.vocabulary, offices.domains, license.office, out);
	}

	/** Matched contacts and the agent count: United States only. */
	private writeEnrichment(): void {
		const { license, out, offices } = this;
		const { jurisdiction, areaCodes } = this.register.profile;
		const enriched = jurisdiction.country === "US";
		if (enriched) this.writeEmailShare(draw(license.person, STREAM.matchedEmail), this.emailShare);
		out.endPlain();
		const phone = draw(license.person, STREAM.matchedPhone);
		if (enriched && chance(phone, MATCHED_PHONE_SHARE)) writePhone(phone, areaCodes, 0, out);
		out.endPlain();
		if (!this.shared.agentCount) return;
		if (enriched && license.office >= 0) out.number(offices.licenses[license.office]);
		out.endPlain();
	}

	private writeRefreshed(): void {
		const { license, out, month } = this;
		// Some records were not read again this month.
		const stale = license.ageMonths > 0 && chance(draw(license.row, STREAM.stale), STALE_SHARE);
		if (stale) out.date(month - 1, this.refreshedDayBefore);
		else out.date(month, this.refreshedDay);
		out.endPlain();
	}
}
