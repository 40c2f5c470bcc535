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
<main id="reference"></main>
<noscript>The reference needs JavaScript; <a href="/openapi.json">/openapi.json</a> is the same as data.</noscript>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/reference.js"></script>
</body>
</html>
`;

/** Keys are kept in the page's memory only, until it is closed. */
export const REFERENCE_SCRIPT = `SwaggerUIBundle({
	url: "/openapi.json",
	dom_id: "#reference",
	deepLinking: true,
	tryItOutEnabled: true,
	displayRequestDuration: true,
	persistAuthorization: false,
	validatorUrl: null,
	defaultModelsExpandDepth: 0,
	requestSnippetsEnabled: true,
});
`;

export const REFERENCE_STYLE = `body { margin: 0; }
.swagger-ui .topbar { display: none; }
`;
