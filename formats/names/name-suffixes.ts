/** Suffixes of people's names, lower-case without punctuation: what patterns of names split off, and hints leave out. */
export const NAME_SUFFIXES: readonly string[] =
	"jr sr ii iii iv 2nd 3rd 4th esq esquire phd md cpa dds".split(" ");
