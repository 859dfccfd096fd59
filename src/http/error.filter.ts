import { type ArgumentsHost, Catch, type ExceptionFilter, Logger, NotFoundException } from '@nestjs/common';
import type { Express, Request, Response } from 'express';
import { DomainError } from '../domain/errors.js';
import { noteErrorCode } from './answer-facts.js';
import { errorBody, errorHeaders } from './error-body.js';
import { ERROR_CATALOGUE } from './error-catalogue.js';
import { toDomainError } from './error-mapping.js';
import { routeMiss } from './method-not-allowed.js';
import { discardBody } from './read-body.js';
import { requestIdOf } from './request-context.js';

const DEFECT = new DomainError('internal_error', 'Something failed on our side. Quote the request id to support.');

/** Turns everything that is thrown during a request into the error object. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger(ErrorFilter.name);

  /** `baseUrl` is called at each error, because the port may be known only after listening. */
  constructor(
    private readonly app: Express,
    private readonly baseUrl: () => string,
  ) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const req = http.getRequest<Request>();
    const res = http.getResponse<Response>();
    const error = this.errorFor(thrown, req);
    this.log(error ?? DEFECT, thrown, req, res);
    noteErrorCode(res, (error ?? DEFECT).code);
    if (res.headersSent || res.destroyed) res.destroy();
    else this.answer(error ?? DEFECT, res);
    discardBody(req);
  }

  private errorFor(thrown: unknown, req: Request): DomainError | null {
    // Services throw domain errors, so this exception comes from Nest or Express: no route matched.
    return thrown instanceof NotFoundException ? routeMiss(this.app, req.method, req.path) : toDomainError(thrown);
  }

  private answer(error: DomainError, res: Response): void {
    for (const [name, value] of Object.entries(errorHeaders(error))) res.setHeader(name, value);
    res.status(ERROR_CATALOGUE[error.code].status).json(errorBody(error, requestIdOf(res), this.baseUrl()));
  }

  /** Logs defects and outages. Errors of the caller are in the request log already. */
  private log(error: DomainError, thrown: unknown, req: Request, res: Response): void {
    const line = { request_id: requestIdOf(res), method: req.method, path: req.path, code: error.code, err: thrown };
    if (error.code === 'internal_error') this.logger.error(line);
    else if (error.code === 'service_unavailable') this.logger.warn(line);
  }
}
