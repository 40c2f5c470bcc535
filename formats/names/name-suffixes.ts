/**
 * Suffixes of people's names, lower-case without punctuation: what patterns of names split off, and hints leave out. Of
 * the designations of the trade those that no one is called by, with that of a person's company in Canada, `PREC*`.
 */
export const NAME_SUFFIXES: readonly string[] = (
	"jr sr ii iii iv 2nd 3rd 4th esq esquire phd md cpa dds " +
	"gri crs abr crb srs sres ccim cips epro realtor prec"
).split(" ");

/** Designations and trades that are names or initials too, so that they are a suffix only after a comma. */
export const NAME_DESIGNATIONS: readonly string[] =
	"mai sra pa pe pc cfa cpm cre sior sfr psa rsps ahwd broker agent salesperson appraiser auctioneer".split(
		" ",
	);
