import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Params } from 'nestjs-pino';
import type { Logger } from 'pino';
import { newId } from '../domain/ids.js';
import type { AnsweredRequest } from './metrics.js';

/** Callbacks that complete the request log. */
export interface HttpLogOptions {
  readonly logger: Logger;
  /** The merchant of the caller, once a guard has authenticated it. */
  readonly merchantIdOf: (req: IncomingMessage) => string | undefined;
  /** Called once for every request when its answer has ended, but for streams. */
  readonly onAnswered: (request: AnsweredRequest) => void;
}

/** An Express request, on which the router leaves the matched pattern and the original URL. */
interface RoutedRequest extends IncomingMessage {
  /** The client's address: that of the connection, or the one that a trusted proxy reports. */
  readonly ip?: string;
  readonly route?: { readonly path?: unknown };
  readonly originalUrl?: string;
}

const UNMATCHED = 'unmatched';
const PATH_MAX = 200;

const message = (): string => 'request';

/**
 * Returns the parameters of `LoggerModule.forRoot`: Nest logs through our logger, every line of a request has its
 * `request_id`, and one line reports its outcome. The query is not logged, because it may contain personal data.
 */
export function httpLogParams({ logger, merchantIdOf, onAnswered }: HttpLogOptions): Params {
  const startedMs = new WeakMap<IncomingMessage, number>();

  const line = (req: RoutedRequest, res: ServerResponse): object => {
    const durationMs = performance.now() - (startedMs.get(req) ?? performance.now());
    const [method, route] = [req.method ?? '', routeOf(req)];
    // A stream lasts as long as its reader wants: that is no time of an answer.
    if (!isStream(res)) onAnswered({ method, route, status: res.statusCode, durationMs });
    return {
      method,
      route,
      path: pathOf(req),
      client_ip: req.ip,
      status: res.statusCode,
      duration_ms: Math.round(durationMs * 10) / 10,
      merchant_id: merchantIdOf(req),
      aborted: res.writableFinished ? undefined : true,
    };
  };

  return {
    pinoHttp: {
      logger,
      quietReqLogger: true,
      quietResLogger: true,
      customAttributeKeys: { reqId: 'request_id' },
      serializers: { req: () => undefined },
      genReqId: (req, res) => {
        startedMs.set(req, performance.now());
        // The id that the answer already has; the fallback is for servers without that middleware.
        return String(res.getHeader('Request-Id') ?? newId('req_'));
      },
      customLogLevel: (_req, res) => (res.statusCode >= 500 ? 'error' : 'info'),
      customSuccessObject: line,
      customErrorObject: line,
      customSuccessMessage: message,
      customErrorMessage: message,
    },
  };
}

const isStream = (res: ServerResponse): boolean => res.getHeader('Content-Type') === 'text/event-stream';

/** The pattern of the route. A pattern with a wildcard belongs to middleware: no route matched. */
function routeOf(req: RoutedRequest): string {
  const pattern = req.route?.path;
  return typeof pattern === 'string' && !pattern.includes('*') ? pattern : UNMATCHED;
}

function pathOf(req: RoutedRequest): string {
  const [path = ''] = (req.originalUrl ?? req.url ?? '').split('?', 1);
  return path.slice(0, PATH_MAX);
}
