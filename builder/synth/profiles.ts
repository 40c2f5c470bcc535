/**
 * The register of each of the 62 jurisdictions: its size, and the conventions of its licensing body. The sizes
 * approximate the bodies' own counts; the conventions are modelled on real ones.
 *
 * Columns of the table:
 * - code; licenses in thousands;
 * - letters of names and places: natural, upper, plain, plain-upper, or mixed (plain or plain-upper);
 * - order of full names: first (First Last) or last (Last, First);
 * - license numbers: one pattern for all types, or one for each class of TYPE_CLASSES (the last one for the
 *   rest); the sequence of # is the number, wider if necessary;
 * - status set; type set (vocabularies.ts);
 * - expiry: term in months, then `birth` (end of the birth month), `issue` (the day of issue), `issue-end` (end
 *   of the month of issue) or fixed dates MMDD;
 * - postal codes: 5, 9 (dashed), 9-bare, 5/9 (some of each), A1A-1A1 or A1A1A1;
 * - what is published: a street address, e e-mail, p phone, f first issue, b broker, t issue date of the
 *   current term instead of the license's first;
 * - mix of heritages (names.ts); area codes.
 */

import { findJurisdiction, invariant, type Jurisdiction } from "../../formats/index.js";
import { isMix, type Mix } from "./names.js";
import type { Letters } from "./text-table.js";
import { statusVocabulary, typeVocabulary, type Vocabulary } from "./vocabularies.js";

const TABLE = `
AL  31 natural     first 000######                      plain       salesperson       24:0930           5       af   south            205 251 256 334 938
AK   5 plain       first RECS######/RECA######/RECB######/RECO###### standing northern-types 24:0131    5       afb  mountain         907
AZ  92 plain       first SA######000/BA######000/BR######000/CO######000 current salesperson 24:issue-end 5/9   fpb  border           480 520 602 623 928
AR  18 upper       last  SA000#####/AB000#####/PB000#####/FB000##### upper upper             12:1231           9       af   south            479 501 870
CA 420 plain       last  0#######                       licensed    california        48:issue          5       afb  pacific          209 213 310 323 408 415 510 530 562 619 626 650 707 714 760 805 818 831 858 909 916 925 949 951
CO  72 plain       first FA.#########/AB.#########/IA.#########/EC.######### standing one-license 24:1231 9      at   mountain         303 719 720 970
CT  36 plain-upper first RES.#######/RES.#######/REB.#######/REB.####### renewal codes      24:0531,1130      9-bare  f    new-england      203 475 860
DE   9 natural     first RS-#######/RA-#######/RB-#######/RO-####### standing salesperson   24:0430           5       a    northeast        302
DC  13 natural     first SP#########/BR#########        plain       salesperson       24:0831           5       ap   northeast        202
FL 410 plain-upper last  SL#######/BK#######/BK#######/CQ####### florida florida     24:0331,0930      9       aeft florida          239 305 321 352 386 407 561 727 754 772 786 813 850 904 941 954
GA 112 natural     first ######                         plain       salesperson       48:birth          5       ab   south            229 404 470 478 678 706 770 912
HI  20 plain       last  RS-#####/RS-#####/RB-#####/RB-##### current    codes             24:1231           5       fb   islands          808
ID  21 natural     first SP#####/AB#####/DB#####/LE#####  plain      northern-types    24:birth          5       aepb mountain         208 986
IL 108 natural     first 475.######/475.######/471.######/478.###### upper one-license-upper 24:0430,1031 5/9   f    heartland        217 309 312 618 630 708 773 815 847
IN  46 plain       first RB########                     current     one-license       36:0630           9       at   heartland        219 260 317 574 765 812
IA  20 upper       last  S########/B########            upper       salesperson       36:1231           5       ab   heartland        319 515 563 641 712
KS  19 natural     first SP00######/BR00######          plain       salesperson       24:issue-end      5       aep  heartland        316 620 785 913
KY  31 mixed       first ######                         issued      northern-types    24:0331           5/9     afb  heartland        270 502 606 859
LA  32 upper       last  995######                      abbreviated salesperson       12:1231           5       af   gulf             225 318 337 504 985
ME  10 natural     first SA######/AB######/BA######/AC###### standing northern-types   24:issue          5       at   new-england      207
MD  52 plain-upper last  ######                         letters     upper             24:issue          9-bare  a    northeast        240 301 410 443
MA  92 natural     first 9######-RE-S/9######-RE-S/9######-RE-B/9######-RE-C current salesperson 24:birth 5      a    new-england      339 413 508 617 781 978
MI  76 plain-upper first 6501######/6506######/6502######/6505###### upper upper     36:1031           9       at   heartland        231 248 269 313 517 586 616 734 810 989
MN  46 natural     first 4#######                       issued      salesperson       24:0630           5       afbp heartland        218 320 507 612 651 763 952
MS  15 upper       last  S-#####/BA-#####/B-#####/FIR-##### abbreviated upper         24:issue-end      5       ap   south            228 601 662
MO  56 plain       last  20########                     abbreviated salesperson       24:0630,0930      9       af   heartland        314 417 573 636 660 816
MT  10 natural     first RRE-RBS-LIC-#####/RRE-BRO-LIC-##### standing northern-types   12:1031           5       aepf mountain         406
NE  12 natural     first 20######                       plain       salesperson       24:1231           5       aefb heartland        308 402
NV  41 natural     last  S.0######/BS.0######/B.0######/BUSB.0###### issued salesperson 24:issue-end     5       fb   border           702 725 775
NH  14 natural     first 0#####                         current     salesperson       24:issue          5       ab   new-england      603
NJ 101 plain-upper first #######                        plain       upper             24:0630           9       ab   northeast        201 551 609 732 856 862 908 973
NM  15 natural     first REC-####-####                  current     northern-types    36:issue-end      5       aepf border           505 575
NY 178 plain-upper last  10401######/10301######/10311######/10991###### upper new-york 24:issue         5       bt   northeast        212 315 347 516 518 585 607 631 646 716 718 845 914 917
NC 112 natural     first ######                         plain       one-license       12:0630           5/9     aefb south            252 336 704 828 910 919 980
ND   4 natural     first #####                          standing    salesperson       12:1231           5       aepb heartland        701
OH  71 plain-upper first SAL.20########/SAL.20########/BRK.20########/REC.20######## renewal upper 36:birth 9   af   heartland        216 234 330 419 440 513 614 740 937
OK  30 upper       first ######                         letters     codes             36:issue-end      5       ap   border           405 539 580 918
OR  31 natural     last  2########                      issued      northern-types    24:birth          5       afb  pacific          458 503 541 971
PA  77 plain-upper first RS######/AB######/RB######/RO###### plain   upper             24:0531           9-bare  aft  northeast        215 267 412 484 570 610 717 724 814
RI  12 natural     first RES.00#####/REB.00#####        current     codes             24:0430           5       a    new-england      401
SC  61 mixed       last  ######                         issued      one-license       24:0630           5       apb  south            803 843 864
SD   5 natural     first #####                          plain       northern-types    24:1231           5       aep  heartland        605
TN  66 plain-upper first 00######                       upper       northern-types    24:issue          5       afb  south            423 615 629 731 865 901 931
TX 272 plain-upper first ######-SA/######-BB/######-B/9######-BLLC texas texas      24:issue-end      5       ef   border           210 214 254 281 325 361 409 432 469 512 682 713 806 817 830 832 903 915 936 940 956 972
UT  47 natural     first ########-SA00/########-AB00/########-PB00/########-CN00 standing northern-types 24:issue-end 5 a mountain  385 435 801
VT   5 natural     first 082.0######/082.0######/081.0######/083.0###### standing northern-types 24:0331,0531 5 af  new-england      802
VA  82 plain       last  0225######/0225######/0226######/0226###### current one-license 24:issue-end    9       ab   south            276 434 540 571 703 757 804
WA  71 upper       last  ########                       standing    one-license       24:birth          5       abp  pacific          206 253 360 425 509
WV   8 natural     first WVS#######/WVA#######/WVB######## plain     salesperson       12:0630           5       ab   heartland        304 681
WI  31 natural     first #####-94/#####-90/#####-90/######-91 renewal salesperson   24:1214           9       af   heartland        262 414 608 715 920
WY   4 natural     first RE-#####                       plain       northern-types    36:1231           5       aep  mountain         307
PR  12 natural     last  V-#####/C-#####                plain       island            48:issue          5       a    caribbean        787 939
AB  17 natural     first ########                       authorized  prairie           12:0930           A1A-1A1 fb   prairie          403 587 780
BC  28 natural     last  X######/V######                licensed    representative    24:issue          A1A-1A1 fb   british-columbia 236 250 604 778
MB   5 natural     first ####                           registered  prairie           12:1231           A1A-1A1 b    prairie          204 431
NB   3 natural     first 2######                        registered  salesperson       12:0331           A1A1A1  ab   acadia           506
NL   2 natural     first ####                           registered  salesperson       12:0331           A1A-1A1 a    atlantic         709
NS   4 natural     first 0#####                         authorized  representative    12:0630           A1A-1A1 bp   atlantic         782 902
ON  97 natural     first 4######                        registered  ontario           24:issue          A1A-1A1 fb   ontario          226 289 343 365 416 437 519 613 647 705 807 905
PE   1 natural     first ###                            registered  salesperson       12:0331           A1A-1A1 a    atlantic         902
QC  21 natural     last  G####/H####/J####/A####        french      french            12:0430           A1A-1A1 aepb quebec           418 438 450 514 579 581 819
SK   4 upper       first R######                        registered  prairie           12:0630           A1A1A1  b    prairie          306 639
`;

export type NameOrder = "first" | "last";
export type PostalStyle = "5" | "9" | "9-bare" | "5/9" | "A1A-1A1" | "A1A1A1";

export type Expiry =
	| { readonly rule: "birth" | "issue" | "issue-end"; readonly termMonths: number }
	/** Months of the year from 0 and days of the month. */
	| {
			readonly rule: "fixed";
			readonly termMonths: number;
			readonly dates: readonly (readonly [number, number])[];
	  };

export interface NumberShape {
	readonly prefix: string;
	readonly digits: number;
	readonly suffix: string;
}

export interface Profile {
	readonly jurisdiction: Jurisdiction;
	/** Relative size: thousands of licenses. */
	readonly thousands: number;
	readonly letters: Letters | "mixed";
	readonly order: NameOrder;
	/** By type class; the last one for all further classes. */
	readonly numbers: readonly NumberShape[];
	readonly statuses: Vocabulary;
	readonly types: Vocabulary;
	readonly expiry: Expiry;
	readonly postal: PostalStyle;
	readonly publishes: {
		readonly address: boolean;
		readonly email: boolean;
		readonly phone: boolean;
		readonly firstIssued: boolean;
		readonly broker: boolean;
		/** The issue date is that of the current term. */
		readonly termIssued: boolean;
	};
	readonly mix: Mix;
	readonly areaCodes: readonly number[];
}

const LETTERS = ["natural", "upper", "plain", "plain-upper", "mixed"] as const;
const POSTAL_STYLES: readonly PostalStyle[] = ["5", "9", "9-bare", "5/9", "A1A-1A1", "A1A1A1"];

/** `value` if the table may contain it; anything else is a mistake in this file. */
function oneOf<T extends string>(allowed: readonly T[], value: string): T {
	const found = allowed.find((candidate) => candidate === value);
	invariant(found !== undefined, `the profile table holds ${value}`);
	return found;
}

function parseExpiry(text: string): Expiry {
	const [term, rule] = text.split(":");
	const termMonths = Number(term);
	invariant(termMonths % 12 === 0, `a term of ${term} months`);
	if (rule === "birth" || rule === "issue" || rule === "issue-end") return { rule, termMonths };
	const dates = rule
		.split(",")
		.map((date) => [Number(date.slice(0, 2)) - 1, Number(date.slice(2, 4))] as const);
	return { rule: "fixed", termMonths, dates };
}

/** Splits a pattern at its last sequence of `#`; an earlier one is filled with zeros. */
function parseShape(shape: string): NumberShape {
	const end = shape.lastIndexOf("#") + 1;
	let start = end;
	while (start > 0 && shape[start - 1] === "#") start--;
	invariant(start < end, `the license number shape ${shape} has no number`);
	return {
		prefix: shape.slice(0, start).replaceAll("#", "0"),
		digits: end - start,
		suffix: shape.slice(end),
	};
}

function parseProfile(line: string): Profile {
	const [
		state,
		thousands,
		letters,
		order,
		numbers,
		statuses,
		types,
		expiry,
		postal,
		published,
		mix,
		...areaCodes
	] = line.split(/ +/);
	const jurisdiction = findJurisdiction(state);
	const statusWords = statusVocabulary(statuses);
	const typeWords = typeVocabulary(types);
	invariant(jurisdiction !== undefined, `no jurisdiction ${state}`);
	invariant(statusWords !== undefined, `no status set ${statuses}`);
	invariant(typeWords !== undefined, `no type set ${types}`);
	invariant(isMix(mix), `no mix ${mix}`);
	return {
		jurisdiction,
		thousands: Number(thousands),
		letters: oneOf(LETTERS, letters),
		order: oneOf(["first", "last"], order),
		numbers: numbers.split("/").map(parseShape),
		statuses: statusWords,
		types: typeWords,
		expiry: parseExpiry(expiry),
		postal: oneOf(POSTAL_STYLES, postal),
		publishes: {
			address: published.includes("a"),
			email: published.includes("e"),
			phone: published.includes("p"),
			firstIssued: published.includes("f"),
			broker: published.includes("b"),
			termIssued: published.includes("t"),
		},
		mix,
		areaCodes: areaCodes.map(Number),
	};
}

/** Every jurisdiction of a synthetic drop, in the order of its rows. */
export const PROFILES: readonly Profile[] = TABLE.trim().split("\n").map(parseProfile);
