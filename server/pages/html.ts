/** HTML as text: escaping, and the layout of every page. */

const ESCAPES: Readonly<Record<string, string>> = {
	"&": "&amp;",
	"<": "&lt;",
	">": "&gt;",
	'"': "&quot;",
	"'": "&#39;",
};

/** `text` as HTML text or as the value of a quoted attribute. */
export function escapeHtml(text: string): string {
	return text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character]);
}

export interface PageParts {
	readonly title: string;
	/** HTML of what is between `<main>` and `</main>`. */
	readonly main: string;
	/** Paths of style sheets besides the common one. */
	readonly styles?: readonly string[];
	/** Paths of module scripts. */
	readonly scripts?: readonly string[];
	/** HTML of the navigation; absent: none. */
	readonly navigation?: string;
}

/** A complete document. Every style and script is a file of this server: pages run under a strict policy. */
export function htmlPage({ title, main, styles = [], scripts = [], navigation = "" }: PageParts): string {
	const sheets = ["/pages/page.css", ...styles].map((path) => `<link rel="stylesheet" href="${path}">`);
	const modules = scripts.map((path) => `<script type="module" src="${path}"></script>`);
	return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
${[...sheets, ...modules].join("\n")}
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header><a class="brand" href="/">Rollcall</a>${navigation}</header>
<main id="main">
<h1>${escapeHtml(title)}</h1>
${main}
</main>
</body>
</html>
`;
}
