/** The page at /docs: Swagger UI over /openapi.json, configured to request nothing from elsewhere. */

export const REFERENCE_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Rollcall API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="stylesheet" href="/docs/reference.css">
</head>
<body>
<div id="reference"></div>
<p id="told" role="status"></p>
<noscript>The reference needs JavaScript; <a href="/openapi.json">/openapi.json</a> is the same as data.</noscript>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/reference.js"></script>
</body>
</html>
`;

/** Keys are kept in the page's memory only, until it is closed. */
export const REFERENCE_SCRIPT = `const told = document.querySelector("#told");
SwaggerUIBundle({
	url: "/openapi.json",
	dom_id: "#reference",
	deepLinking: true,
	tryItOutEnabled: true,
	displayRequestDuration: true,
	persistAuthorization: false,
	validatorUrl: null,
	defaultModelsExpandDepth: 0,
	requestSnippetsEnabled: true,
	responseInterceptor(response) {
		// What is drawn below the button is announced by nothing.
		if (!response.url.endsWith("/openapi.json")) told.textContent = "Response with status " + response.status;
		return response;
	},
});

// Swagger UI draws its controls without names, and answers that the keyboard cannot scroll.
const reference = document.querySelector("#reference");
// The button that opened the dialog, which does not give the keyboard back when it closes.
let opener = null;
let wasOpen = false;
reference.addEventListener("click", ({ target }) => {
	if (reference.querySelector(".dialog-ux") === null) opener = target.closest(".authorize, .authorization__btn");
}, true);
new MutationObserver(() => {
	reference.querySelector("#servers")?.setAttribute("aria-label", "Server");
	for (const control of reference.querySelectorAll("[data-param-name] :is(input, select, textarea):not([aria-label])"))
		control.setAttribute("aria-label", control.closest("[data-param-name]").dataset.paramName);
	const dialog = reference.querySelector(".dialog-ux");
	if (dialog !== null) {
		dialog.querySelector(".modal-ux").setAttribute("role", "dialog");
		dialog.querySelector(".modal-ux").setAttribute("aria-label", "Available authorizations");
		dialog.querySelector(".close-modal").setAttribute("aria-label", "Close");
	} else if (opener !== null && document.activeElement === document.body && wasOpen) {
		// Swagger UI may have replaced the button.
		(opener.isConnected ? opener : reference.querySelector(".authorize"))?.focus();
	}
	wasOpen = dialog !== null;
	for (const code of reference.querySelectorAll("pre.microlight:not([tabindex])")) code.tabIndex = 0;
}).observe(reference, { childList: true, subtree: true });
`;

/** Swagger UI's colours with a contrast of 4.5:1 and more. */
export const REFERENCE_STYLE = `body { margin: 0; }
#told { position: absolute; width: 1px; height: 1px; margin: 0; overflow: hidden; clip-path: inset(50%); }
.swagger-ui .topbar { display: none; }
.swagger-ui .info .title small { background: #5c6370; }
.swagger-ui .info .title small.version-stamp { background: #3f6b00; }
.swagger-ui .info .url { color: #1a5fb4; }
.swagger-ui .btn.authorize { border-color: #1f7a4d; color: #1f7a4d; }
.swagger-ui .btn.authorize svg { fill: #1f7a4d; }
.swagger-ui .btn.cancel { border-color: #b3151f; color: #b3151f; }
.swagger-ui .btn.execute { background-color: #1a5fb4; border-color: #1a5fb4; }
.swagger-ui .opblock.opblock-get .opblock-summary-method { background: #1a5fb4; }
.swagger-ui .opblock.opblock-post .opblock-summary-method { background: #1f7a4d; }
.swagger-ui .parameter__in { color: #595959; }
.swagger-ui .download-contents { background: #5c6370; }
.swagger-ui .microlight { background: #1c1c1c !important; }
`;
