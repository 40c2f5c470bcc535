/** Help of the flags that choose which months have a row store. */

export const ROW_STORE_HELP =
	"write a row store even for a month that is not the newest, and keep those of older months; " +
	"by default only the newest month has one";
export const NO_ROW_STORE_HELP = "write no row store";
