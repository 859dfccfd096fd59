import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import { Socket } from 'node:net';
import { ExpressAdapter } from '@nestjs/platform-express';
import express, { type Express, type Response } from 'express';
import { DomainError } from '../domain/errors.js';
import { newId } from '../domain/ids.js';
import { noteStoredAnswer } from './answer-facts.js';
import { errorBody, errorHeaders } from './error-body.js';
import { ERROR_CATALOGUE } from './error-catalogue.js';
import { StoredAnswer } from './stored-answer.js';

/** Limits of time and size, beyond which a connection is closed. */
export interface HttpLimits {
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly keepAliveTimeoutMs: number;
  readonly maxHeaderBytes: number;
  /** The interval of the checks for the two time limits, so a request exceeds them by this at most. */
  readonly checkIntervalMs: number;
}

const HTTP_LIMITS: HttpLimits = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  // Longer than the 60 s of load balancers: a connection that we close first may already carry a request.
  keepAliveTimeoutMs: 65_000,
  maxHeaderBytes: 16_384,
  checkIntervalMs: 1_000,
};

/** The keep-alive after the stop has begun: an idle connection must not delay the stop for longer. */
const CLOSING_KEEP_ALIVE_MS = 1_000;

/** Nest's Express adapter with limits. Paths are case sensitive and have no trailing slash: one spelling per resource. */
export class LimitedHttpAdapter extends ExpressAdapter {
  /** True once an orderly stop has begun. */
  closing = false;

  constructor(private readonly limits: HttpLimits) {
    const app = express();
    // Before the base class creates the router: Express reads these two settings only then.
    app.enable('case sensitive routing');
    app.enable('strict routing');
    app.disable('etag');
    // Answers have no validator, so a conditional request must not get a 304, as Express would answer for `*`.
    Object.defineProperty(app.request, 'fresh', { value: false });
    super(app);
  }

  override initHttpServer(): void {
    const { limits } = this;
    this.httpServer = createServer(
      {
        headersTimeout: limits.headersTimeoutMs,
        requestTimeout: limits.requestTimeoutMs,
        keepAliveTimeout: limits.keepAliveTimeoutMs,
        maxHeaderSize: limits.maxHeaderBytes,
        connectionsCheckingInterval: limits.checkIntervalMs,
        // Node would answer a request without Host itself, without the error object.
        requireHostHeader: false,
      },
      this.getInstance<Express>(),
    );
  }

  /** Sends a stored answer unchanged; Nest would serialise the object. */
  override reply(res: Response, body: unknown, statusCode?: number): unknown {
    if (!(body instanceof StoredAnswer)) return super.reply(res, body, statusCode);
    noteStoredAnswer(res, body);
    const contentLength = Buffer.byteLength(body.json);
    const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': contentLength };
    return res.writeHead(body.status, { ...headers, ...body.headers }).end(body.json);
  }

  override beforeClose(): void {
    this.closing = true;
    this.httpServer.keepAliveTimeout = Math.min(this.limits.keepAliveTimeoutMs, CLOSING_KEEP_ALIVE_MS);
    super.beforeClose();
  }
}

/** Makes the adapter for `NestFactory.create(Module, createHttpAdapter(), { bodyParser: false })`. */
export function createHttpAdapter(limits: Partial<HttpLimits> = {}): LimitedHttpAdapter {
  return new LimitedHttpAdapter({ ...HTTP_LIMITS, ...limits });
}

/** Answers protocol errors with the error object; Node would answer them itself, before any route. */
export function answerProtocolErrors(server: Server, baseUrl: () => string): void {
  const responses = new WeakMap<Socket, ServerResponse>();
  const passOn = (req: IncomingMessage, res: ServerResponse): boolean => server.emit('request', req, res);
  // The body guard sends "100 Continue" after authentication; other expectations are ignored, as RFC 9110 allows.
  server.on('checkContinue', passOn).on('checkExpectation', passOn);
  server.prependListener('request', (req, res) => responses.set(req.socket, res));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const res = socket instanceof Socket ? responses.get(socket) : undefined;
    const answering = res?.headersSent === true && !res.writableEnded;
    if (!socket.writable || answering) socket.destroy();
    else socket.end(rawAnswer(protocolError(error), baseUrl()), () => socket.destroy());
  });
}

function protocolError({ code }: NodeJS.ErrnoException): DomainError {
  if (code === 'HPE_HEADER_OVERFLOW') return new DomainError('payload_too_large', 'The headers are too large.');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new DomainError('invalid_request', 'The request took too long to arrive.');
  return new DomainError('invalid_request', 'The request is not valid HTTP.');
}

function rawAnswer(error: DomainError, baseUrl: string): string {
  const requestId = newId('req_');
  const body = JSON.stringify(errorBody(error, requestId, baseUrl));
  const headers = {
    ...errorHeaders(error),
    'Content-Length': String(Buffer.byteLength(body)),
    'Request-Id': requestId,
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const { status } = ERROR_CATALOGUE[error.code];
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`;
}
