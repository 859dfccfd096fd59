import type { NestExpressApplication } from '@nestjs/platform-express';
import { type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { Express, Request, Response } from 'express';
import { DomainError } from '../domain/errors.js';

/** Nest's page has inline styles, which our content security policy forbids; this one has none. */
const PAGE = `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>Coffer API</title>
  <link rel="stylesheet" href="docs/swagger-ui.css">
  <link rel="stylesheet" href="docs/index.css">
  <link rel="icon" type="image/png" href="docs/favicon-32x32.png" sizes="32x32">
</head>
<body>
  <div id="swagger-ui"></div>
  <script src="docs/swagger-ui-bundle.js"></script>
  <script src="docs/swagger-ui-standalone-preset.js"></script>
  <script src="docs/swagger-ui-init.js"></script>
</body>
</html>
`;

/** Files of swagger-ui-dist that name another host or belong to a login that we do not have. */
const UNUSED_FILES = ['swagger-initializer.js', 'oauth2-redirect.html', 'oauth2-redirect.js'];

interface UiRequest {
  method?: string;
  headers: Record<string, string>;
}

/** Runs in the browser: Nest copies its source into the page, so it must not reference anything outside itself. */
const fillIdempotencyKey = (request: UiRequest): UiRequest => {
  if (request.method === 'POST' && !request.headers['Idempotency-Key']) {
    // randomUUID exists only on https and localhost; elsewhere the same randomness is written as hex.
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    request.headers['Idempotency-Key'] =
      crypto.randomUUID?.() ?? Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  }
  return request;
};

/**
 * Serves `/openapi.json`, `/openapi.yaml` and Swagger UI at `/docs`. The document is built at the first request. Call
 * before the application is initialised; other pages under `/docs/` stay reachable.
 */
export function serveApiDocs(app: NestExpressApplication, documentOf: () => OpenAPIObject): void {
  let built: OpenAPIObject | undefined;
  const document = (): OpenAPIObject => (built ??= documentOf());
  SwaggerModule.setup('openapi', app, document, {
    ui: false,
    jsonDocumentUrl: '/openapi.json',
    yamlDocumentUrl: '/openapi.yaml',
  });
  servePage(app.getHttpAdapter().getInstance());
  SwaggerModule.setup('docs', app, () => uiCopy(document()), {
    raw: false,
    swaggerOptions: {
      persistAuthorization: true,
      tryItOutEnabled: true,
      displayRequestDuration: true,
      deepLinking: true,
      filter: true,
      requestSnippetsEnabled: true,
      layout: 'BaseLayout',
      validatorUrl: null,
      requestInterceptor: fillIdempotencyKey,
    },
  });
}

/** Serves the document of the console's API, without a page for it. */
export function serveConsoleDocument(app: NestExpressApplication, documentOf: () => OpenAPIObject): void {
  let built: OpenAPIObject | undefined;
  const express: Express = app.getHttpAdapter().getInstance();
  express.get('/admin/api/openapi.json', (_req: Request, res: Response) => {
    res.json((built ??= documentOf()));
  });
}

/** Registered before Nest's own routes of the same paths, so that ours answer. */
function servePage(express: Express): void {
  express.get('/docs', (_req: Request, res: Response) => {
    res.type('html').send(PAGE);
  });
  express.get(['/docs/', '/docs/index.html'], (_req: Request, res: Response) => {
    res.redirect(308, '/docs');
  });
  express.get(
    UNUSED_FILES.map((file) => `/docs/${file}`),
    () => {
      throw new DomainError('not_found', 'No such page.');
    },
  );
}

/** Makes the header optional in the copy for Swagger UI, which otherwise refuses to send before its interceptor runs. */
function uiCopy(document: OpenAPIObject): OpenAPIObject {
  const copy = structuredClone(document);
  const key = copy.components?.parameters?.['IdempotencyKey'];
  if (key !== undefined && !('$ref' in key)) {
    key.required = false;
    key.description = 'If empty, a new UUID is sent.';
    delete key.example;
  }
  return copy;
}
