/**
 * The history of a license: its state in a given month, a function of its slot and the month alone.
 *
 * A slot's licenses last 3 to 40 years each, so that about 1 % of them are replaced per month. A license is
 * renewed each term, changes office every few years and city less often, and may be promoted, become inactive
 * or be disciplined; in its last months it may lapse. Each change is a step function of the month, so that
 * month k + 1 evolves from month k.
 *
 * Months count from January of year 0; a day is a day of the month.
 */

import { type Bits, below, chance, draw, subkey, zipfRank } from "./random.js";
import { type Register, SHORTEST_LIFE_MONTHS } from "./registers.js";

/** Months from January of year 0 to 2000-01, where the month numbers of row ids begin. */
const EPOCH_MONTH = 2000 * 12;

/** Lifetimes of licenses, and how many sixteenths of the slots have each: careers end early or late. */
const LIVES_MONTHS = [
	...Array<number>(3).fill(SHORTEST_LIFE_MONTHS),
	...Array<number>(4).fill(72),
	...Array<number>(4).fill(144),
	...Array<number>(3).fill(300),
	...Array<number>(2).fill(480),
];

/** Shares of the rows, or of the rows named. */
const DUPLICATE_SHARE = 0.002;
const FIRM_SHARE = 0.035;
const PROMOTED_SHARE = 0.3;
const INACTIVE_SHARE = 0.13;
const DISCIPLINED_SHARE = 0.008;
const NO_LAPSE_SHARE = 0.5;
const LAPSE_MONTHS_MAX = 24;

/** Months between changes. */
const OFFICE_MONTHS = 36;
const CITY_MONTHS = 84;
const STATUS_MONTHS = 40;

/** Shares of individuals by type when first licensed, in the order of TYPE_CLASSES. */
const ASSOCIATE_SHARE = 0.08;
const BROKER_SHARE = 0.17;

/** Numbers of the draws; distinct, so that no two decisions are correlated. */
const STREAM = {
	life: 1,
	phase: 2,
	duplicate: 3,
	firm: 4,
	type: 5,
	promotion: 6,
	promotionAge: 7,
	issueDay: 8,
	birthMonth: 9,
	termPhase: 10,
	fixedDate: 11,
	lead: 12,
	lapse: 13,
	lapseMonths: 14,
	statusPhase: 15,
	officePhase: 16,
	cityPhase: 17,
	statusWord: 18,
	renewalDay: 19,
	typeWord: 20,
	firmOffice: 21,
} as const;

const EPOCH_OFFICE = 1;
const EPOCH_CITY = 2;
const EPOCH_STATUS = 3;

const CLASS_ACTIVE = 0;
const CLASS_INACTIVE = 1;
const CLASS_LAPSED = 2;
const CLASS_DISCIPLINED = 3;

const TYPE_SALESPERSON = 0;
const TYPE_ASSOCIATE = 1;
const TYPE_BROKER = 2;
export const TYPE_FIRM = 3;

/** One license in one month. One object is reused, so that rows cause no garbage. */
export class License {
	/** Key of everything permanent about the licensee. */
	person: Bits = 0;
	/** Key of everything about this row; differs from `person` for the second row of a license. */
	row: Bits = 0;
	/** Key of the licensee's residence at this time. */
	home: Bits = 0;
	/** The slot and generation that the license number encodes. */
	slot = 0;
	generation = 0;
	/** Months since it was first issued, and until the last month that contains it. */
	ageMonths = 0;
	monthsLeft = 0;
	/** Classes in the order of TYPE_CLASSES and STATUS_CLASSES. */
	typeWhenIssued = 0;
	type = 0;
	typeWord = 0;
	status = 0;
	statusWord = 0;
	/** The licensee's office, or a firm's own; -1: none. */
	office = -1;
	firstIssuedMonth = 0;
	firstIssuedDay = 0;
	issuedMonth = 0;
	issuedDay = 0;
	expiresMonth = 0;
	expiresDay = 0;
}

const DAYS_OF_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Number of days of a month, which counts from January of year 0. */
function daysOfMonth(month: number): number {
	const year = Math.floor(month / 12);
	const monthOfYear = month - year * 12;
	const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
	return monthOfYear === 1 && leap ? 29 : DAYS_OF_MONTH[monthOfYear];
}

/** Month number `number` (months since 2000-01) counted from year 0. */
export function calendarMonth(number: number): number {
	return number + EPOCH_MONTH;
}

/** Index of the period of `months` that contains `month`; where periods begin depends on the key. */
function epoch(key: Bits, stream: number, month: number, months: number): number {
	return Math.floor((month + below(draw(key, stream), months)) / months);
}

/** First month ≥ `from` whose remainder modulo `term` is `remainder`. */
function nextOfTerm(from: number, remainder: number, term: number): number {
	const behind = (from - remainder) % term;
	return behind === 0 ? from : from + term - (behind < 0 ? behind + term : behind);
}

/** Days of the month on which registers are read, before {@link refreshDay} shifts them by up to three. */
const REFRESH_DAYS = [3, 9, 16, 23];

/** Day of `month` on which the register was read: the row shows nothing that happened later in that month. */
export function refreshDay(register: Register, month: number): number {
	const round = register.key & 3;
	return REFRESH_DAYS[round] + below(subkey(register.seedKey, month * 4 + round), 4);
}

/** Fills `license` with the license of `slot` in `month`. */
export function readLicense(register: Register, slot: number, month: number, license: License): void {
	const own = subkey(register.key, slot);
	const duplicate = slot > 0 && chance(draw(own, STREAM.duplicate), DUPLICATE_SHARE);
	const subject = duplicate ? slot - 1 : slot;
	const subjectKey = duplicate ? subkey(register.key, subject) : own;
	const life = LIVES_MONTHS[below(draw(subjectKey, STREAM.life), LIVES_MONTHS.length)];
	const lived = month - EPOCH_MONTH + below(draw(subjectKey, STREAM.phase), life);
	license.slot = subject;
	license.generation = Math.floor(lived / life);
	license.ageMonths = lived - license.generation * life;
	license.monthsLeft = life - 1 - license.ageMonths;
	license.person = subkey(subjectKey, license.generation);
	// One in four is an exact duplicate.
	const differs = duplicate && (own & 3) !== 0;
	license.row = differs ? subkey(own, license.generation) : license.person;
	license.home = subkey(
		license.row,
		epoch(license.row, STREAM.cityPhase, month, CITY_MONTHS) * 4 + EPOCH_CITY,
	);
	readType(register, license);
	readDates(register, month, license);
	readStatus(register, month, license);
	readOffice(register, month, license);
}

function readType(register: Register, license: License): void {
	const { person } = license;
	const bits = draw(person, STREAM.type);
	if (chance(draw(person, STREAM.firm), FIRM_SHARE)) license.typeWhenIssued = TYPE_FIRM;
	else if (chance(bits, ASSOCIATE_SHARE)) license.typeWhenIssued = TYPE_ASSOCIATE;
	else if (chance(bits, ASSOCIATE_SHARE + BROKER_SHARE)) license.typeWhenIssued = TYPE_BROKER;
	else license.typeWhenIssued = TYPE_SALESPERSON;
	license.type = license.typeWhenIssued;
	// A license number that encodes the type is kept, so only other licenses are promoted.
	if (license.type === TYPE_SALESPERSON && register.profile.numbers.length === 1) {
		const age = 24 + below(draw(person, STREAM.promotionAge), 120);
		if (license.ageMonths >= age && chance(draw(person, STREAM.promotion), PROMOTED_SHARE))
			license.type = age & 1 ? TYPE_ASSOCIATE : TYPE_BROKER;
	}
	// The second row of a license usually has another type.
	if (license.row !== person && license.type !== TYPE_FIRM && (license.row & 3) !== 0)
		license.type = license.type === TYPE_BROKER ? TYPE_ASSOCIATE : TYPE_BROKER;
	license.typeWord = register.profile.types.draw(license.type, draw(person, STREAM.typeWord));
}

/** Month after which the license is no longer renewed, though still on the register. */
function lastRenewableMonth(month: number, license: License): number {
	const end = month + license.monthsLeft;
	if (chance(draw(license.person, STREAM.lapse), NO_LAPSE_SHARE)) return end;
	return end - 1 - below(draw(license.person, STREAM.lapseMonths), LAPSE_MONTHS_MAX);
}

/** The latest date with day `day` that the register knew of in `month`: in `month` or the one before. */
function monthOfDay(register: Register, month: number, day: number): number {
	return day <= refreshDay(register, month) ? month : month - 1;
}

function readDates(register: Register, month: number, license: License): void {
	readFirstIssue(register, month, license);
	const { person, firstIssuedMonth } = license;
	const { expiry, publishes } = register.profile;
	const term = expiry.termMonths;
	let remainder = firstIssuedMonth % term;
	let day = expiry.rule === "issue" ? license.firstIssuedDay : 31;
	if (expiry.rule === "birth") {
		const birthMonth = below(draw(person, STREAM.birthMonth), 12);
		remainder = birthMonth + 12 * below(draw(person, STREAM.termPhase), term / 12);
	} else if (expiry.rule === "fixed") {
		const date = expiry.dates[below(draw(person, STREAM.fixedDate), expiry.dates.length)];
		remainder = date[0] + 12 * below(draw(person, STREAM.termPhase), term / 12);
		day = date[1];
	}
	// Some renew two months early, some in the last month.
	const lead = below(draw(person, STREAM.lead), 3);
	const renewable = Math.min(month, lastRenewableMonth(month, license));
	let expires = nextOfTerm(renewable + lead, remainder, term);
	if (expires <= firstIssuedMonth) expires += term;
	license.expiresMonth = expires;
	license.expiresDay = Math.min(day, daysOfMonth(expires));
	license.issuedMonth = firstIssuedMonth;
	license.issuedDay = license.firstIssuedDay;
	if (publishes.termIssued && expires - term > firstIssuedMonth)
		readRenewal(register, expires - term - lead + 1, license);
}

function readFirstIssue(register: Register, month: number, license: License): void {
	// A license first appears in the month whose reading follows its day of issue.
	const appeared = month - license.ageMonths;
	const day = 1 + below(draw(license.person, STREAM.issueDay), 31);
	license.firstIssuedMonth = monthOfDay(register, appeared, day);
	license.firstIssuedDay = Math.min(day, daysOfMonth(license.firstIssuedMonth));
}

/** Sets the issue date to the renewal that first appeared in the month `seen`. */
function readRenewal(register: Register, seen: number, license: License): void {
	const day = 1 + below(draw(license.person, STREAM.renewalDay), 31);
	const renewed = monthOfDay(register, seen, day);
	if (renewed <= license.firstIssuedMonth) return;
	license.issuedMonth = renewed;
	license.issuedDay = Math.min(day, daysOfMonth(renewed));
}

function readStatus(register: Register, month: number, license: License): void {
	const { person } = license;
	if (license.expiresMonth < month) license.status = CLASS_LAPSED;
	else {
		const period = epoch(person, STREAM.statusPhase, month, STATUS_MONTHS);
		const bits = subkey(person, period * 4 + EPOCH_STATUS);
		if (chance(bits, DISCIPLINED_SHARE)) license.status = CLASS_DISCIPLINED;
		else license.status = chance(bits, DISCIPLINED_SHARE + INACTIVE_SHARE) ? CLASS_INACTIVE : CLASS_ACTIVE;
	}
	license.statusWord = register.profile.statuses.draw(license.status, draw(person, STREAM.statusWord));
}

function readOffice(register: Register, month: number, license: License): void {
	if (license.type === TYPE_FIRM) {
		license.office = below(draw(license.person, STREAM.firmOffice), register.offices);
		return;
	}
	if (license.status !== CLASS_ACTIVE && (license.row & 7) !== 0) {
		license.office = -1;
		return;
	}
	const period = epoch(license.row, STREAM.officePhase, month, OFFICE_MONTHS);
	const bits = subkey(license.row, period * 4 + EPOCH_OFFICE);
	// Three in four work for an office whose size follows a power law, the others for any office.
	license.office =
		(bits & 3) === 0 ? below(draw(bits, 1), register.offices) : zipfRank(draw(bits, 2), register.offices);
}
