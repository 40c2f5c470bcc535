/** Help of the flags that choose which months have stored rows. */

export const ROW_STORE_HELP =
	"store rows whole even of a month that is not the newest, and keep those of older months; " +
	"by default only the newest month has them";
export const NO_ROW_STORE_HELP = "do not store rows whole";
