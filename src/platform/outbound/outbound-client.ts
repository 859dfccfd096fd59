import { Agent, request } from 'undici';
import { DomainError, invalidParam } from '../../domain/errors.js';
import { type AnswerBody, answerHeaders, readAnswerBody } from './answer-body.js';
import { withDeadline } from './deadline.js';
import { allowedAddressesOf } from './address-guard.js';
import { guardedConnector } from './guarded-connector.js';
import { dnsResolver, type NameResolver, systemResolver } from './name-resolver.js';
import { type OutboundErrorCode, OutboundFault, outboundFaultOf } from './outbound-fault.js';
import { opensPrivateTargets, type TargetPolicy } from './target-address.js';
import { hostOf, parseTargetUrl } from './target-url.js';

const ANSWER_BYTES_MAX = 16 * 1024;
const ANSWER_HEADER_BYTES_MAX = 16 * 1024;
const REGISTRATION_LOOKUP_TIMEOUT_MS = 2_000;

/**
 * We close idle connections before the receiver does (the shortest common default is 2 s), because a request that crosses
 * the receiver's close is a failed attempt. A `Keep-Alive` hint of the receiver overrides it.
 */
const KEEP_ALIVE_MS = 1_500;
const KEEP_ALIVE_HINT_MAX_MS = 30_000;

export interface OutboundClientOptions {
  /** Milliseconds for a whole request: name, connection, handshake, headers and body. */
  timeoutMs?: number;
  /** Connections to one origin. Further requests wait, and the wait counts towards their timeout. */
  connectionsPerOrigin?: number;
  /** Replaces the DNS queries and the system's resolver. */
  resolve?: NameResolver;
}

export interface OutboundRequest {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string | Buffer;
}

/** Any answer with a status, 3xx to 5xx included: the caller decides which ones are successes. */
export interface OutboundResponse extends AnswerBody {
  kind: 'response';
  status: number;
  headers: Readonly<Record<string, string>>;
  durationMs: number;
}

/** No complete answer. */
export interface OutboundError {
  kind: 'error';
  code: OutboundErrorCode;
  message: string;
  durationMs: number;
}

export type OutboundResult = OutboundResponse | OutboundError;

/**
 * Sends requests to untrusted targets named by merchants: no private addresses, no redirects, one deadline for the whole
 * request, bounded memory.
 */
export class OutboundClient {
  private readonly timeoutMs: number;
  private readonly resolve: NameResolver | undefined;
  private readonly agents: Readonly<Record<'open' | 'strict', Agent>>;

  constructor({ timeoutMs = 10_000, connectionsPerOrigin = 64, resolve }: OutboundClientOptions = {}) {
    this.timeoutMs = timeoutMs;
    this.resolve = resolve;
    // Two pools, so that a strict request can never travel on a connection that the open policy made.
    this.agents = {
      open: this.agentFor({ environment: 'sandbox', allowPrivate: true }, connectionsPerOrigin),
      strict: this.agentFor({ environment: 'live', allowPrivate: false }, connectionsPerOrigin),
    };
  }

  /** Sends one POST and returns its result. It never throws because of the receiver or the network. */
  async post({ url, headers, body }: OutboundRequest, policy: TargetPolicy): Promise<OutboundResult> {
    const startedAt = performance.now();
    const durationMs = (): number => Math.round(performance.now() - startedAt);
    try {
      // The rules may have become stricter since the URL was registered.
      const target = parseStoredUrl(url, policy);
      const late = `There was no complete answer within ${this.timeoutMs} ms.`;
      const answer = await withDeadline(this.timeoutMs, late, (signal) =>
        exchange(target, { dispatcher: this.agentOf(policy), headers, body, signal }),
      );
      return { kind: 'response', ...answer, durationMs: durationMs() };
    } catch (error) {
      const { code, message } = outboundFaultOf(error);
      return { kind: 'error', code, message, durationMs: durationMs() };
    }
  }

  /**
   * Refuses a URL whose name resolves to a forbidden address now (`invalid_request`, param `url`). A name that does not
   * resolve passes: its record may not be published yet, and every connection is checked again.
   */
  async assertTargetAllowed(url: URL, policy: TargetPolicy): Promise<void> {
    try {
      await allowedAddressesOf(hostOf(url), {
        policy,
        resolve: this.resolverFor(policy),
        timeoutMs: REGISTRATION_LOOKUP_TIMEOUT_MS,
      });
    } catch (error) {
      const { code, message } = outboundFaultOf(error);
      if (code === 'refused_target') throw invalidParam('url', message);
    }
  }

  /** Resolves when the running requests have ended, each by its own deadline. */
  async close(): Promise<void> {
    await Promise.all([this.agents.open.close(), this.agents.strict.close()]);
  }

  private agentOf(policy: TargetPolicy): Agent {
    return opensPrivateTargets(policy) ? this.agents.open : this.agents.strict;
  }

  private resolverFor(policy: TargetPolicy): NameResolver {
    return this.resolve ?? (opensPrivateTargets(policy) ? systemResolver : dnsResolver());
  }

  private agentFor(policy: TargetPolicy, connections: number): Agent {
    return new Agent({
      connect: guardedConnector({ policy, resolve: this.resolverFor(policy), timeoutMs: this.timeoutMs }),
      connections,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_HINT_MAX_MS,
      maxHeaderSize: ANSWER_HEADER_BYTES_MAX,
      // The one deadline covers both; undici's own limits are per read, so a slow receiver would renew them.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }
}

interface ExchangeOptions extends Omit<OutboundRequest, 'url'> {
  dispatcher: Agent;
  signal: AbortSignal;
}

/** Sends the request; `request` does not follow redirects and does not decompress. */
async function exchange(
  url: URL,
  { dispatcher, headers, body, signal }: ExchangeOptions,
): Promise<Omit<OutboundResponse, 'kind' | 'durationMs'>> {
  const answer = await request(url, {
    method: 'POST',
    dispatcher,
    headers: { 'accept-encoding': 'identity', ...headers },
    body,
    signal,
  });
  return {
    status: answer.statusCode,
    headers: answerHeaders(answer.headers),
    ...(await readAnswerBody(answer.body, ANSWER_BYTES_MAX)),
  };
}

function parseStoredUrl(text: string, policy: TargetPolicy): URL {
  try {
    return parseTargetUrl(text, policy);
  } catch (error) {
    if (error instanceof DomainError) throw new OutboundFault('refused_target', error.message, error);
    throw error;
  }
}
