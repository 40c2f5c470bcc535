/**
 * A name of a header as it is compared: trimmed, and in NFC, which keyboards write. Files made on macOS may have letters
 * and their accents as two characters, which look the same.
 */
export function comparedName(name: string): string {
	return name.trim().normalize("NFC");
}
