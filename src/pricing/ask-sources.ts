import type { Reading } from '../domain/price-verdict.js';
import type { RetryingSource } from './retrying-source.js';
import { type PriceSource, type SourceAnswers, SourceFault } from './price-source.js';

/** The answers of one source about every token it was asked about. */
export interface SourceReport {
  readonly source: string;
  readonly role: PriceSource['role'];
  readonly quotedIn: PriceSource['quotedIn'];
  readonly readings: ReadonlyMap<string, Reading>;
  /** Null when the source answered. */
  readonly fault: SourceFault | null;
}

/** Milliseconds since 1970 by the database's clock, which alone decides the age of a price. */
export type Clock = () => number;

/** Asks all sources at once about all tokens. Never fails: the report of a source that fails has the reason. */
export function askSources(
  sources: readonly RetryingSource[],
  tokens: readonly string[],
  clock: Clock,
): Promise<SourceReport[]> {
  // A price quoted in USDT can be converted to dollars only with the price of USDT.
  const needsUsdt = sources.some(
    ({ source }) => source.quotedIn === 'USDT' && tokens.some((token) => source.lists(token)),
  );
  const asked = needsUsdt ? [...new Set([...tokens, 'USDT'])] : tokens;
  return Promise.all(sources.map((source) => report(source, asked, clock)));
}

async function report(retrying: RetryingSource, tokens: readonly string[], clock: Clock): Promise<SourceReport> {
  const { source } = retrying;
  const listed = tokens.filter((token) => source.lists(token));
  const answers = listed.length === 0 ? new Map() : await retrying.ask(listed);
  const receivedAtMs = clock();
  const readings = tokens.map((token) => [token, readingOf(source, token, answers, receivedAtMs)] as const);
  return {
    source: source.name,
    role: source.role,
    quotedIn: source.quotedIn,
    readings: new Map(readings),
    fault: answers instanceof SourceFault ? answers : null,
  };
}

function readingOf(
  source: PriceSource,
  token: string,
  answers: SourceAnswers | SourceFault,
  receivedAtMs: number,
): Reading {
  if (!source.lists(token)) return { source: source.name, silence: 'not_listed' };
  if (answers instanceof SourceFault) return { source: source.name, silence: answers.reason };
  const answer = answers.get(token) ?? { silence: 'not_listed' };
  if ('silence' in answer) return { source: source.name, silence: answer.silence };
  const observedAtMs = answer.observedAtMs ?? receivedAtMs;
  return { source: source.name, value: answer.value, observedAtMs, maxAgeMs: source.maxAgeMs(token) };
}
