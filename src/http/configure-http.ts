import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Express, NextFunction, Request, Response } from 'express';
import { DomainError } from '../domain/errors.js';
import { ErrorFilter } from './error.filter.js';
import { answerProtocolErrors, LimitedHttpAdapter } from './http-server.js';
import { consoleDocument, openApiDocument, type OpenApiOptions } from './openapi.js';
import { openRequestContext } from './request-context.js';
import { securityHeaders } from './security-headers.js';
import { serveApiDocs, serveConsoleDocument } from './swagger-ui.js';

export interface HttpOptions extends OpenApiOptions {
  /** The public address of this service, for links in errors; called at each use, because the port may change at the start. */
  readonly baseUrl: () => string;
}

/**
 * Sets up everything that is common to all routes: request ids, security headers, the error object, the API documents.
 * Call once, before `init` or `listen`, on an application made with `createHttpAdapter()`.
 */
export function configureHttp(app: NestExpressApplication, options: HttpOptions): void {
  const adapter = app.getHttpAdapter();
  if (!(adapter instanceof LimitedHttpAdapter)) throw new Error('Create the application with createHttpAdapter().');
  answerProtocolErrors(app.getHttpServer(), options.baseUrl);
  app.use(openRequestContext, securityHeaders, refuseWhenClosing(adapter));
  app.useGlobalFilters(new ErrorFilter(adapter.getInstance<Express>(), options.baseUrl));
  serveApiDocs(app, () => openApiDocument(app, options));
  serveConsoleDocument(app, () => consoleDocument(app, options));
}

/** Refuses requests on kept-alive connections after the stop has begun; the retry reaches another process. */
function refuseWhenClosing(adapter: LimitedHttpAdapter) {
  return (_req: Request, _res: Response, next: NextFunction): void => {
    if (!adapter.closing) return next();
    next(new DomainError('service_unavailable', 'The service is shutting down.', { headers: { Connection: 'close' } }));
  };
}
