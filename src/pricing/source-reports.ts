import type { Reading } from '../domain/price-verdict.js';
import type { PatientSource } from './patient-source.js';
import { type PriceSource, type SourceAnswers, SourceFault } from './price-source.js';

/** What one source says of every token it was asked about. */
export interface SourceReport {
  readonly source: string;
  readonly role: PriceSource['role'];
  readonly quotedIn: PriceSource['quotedIn'];
  readonly readings: ReadonlyMap<string, Reading>;
  /** Null when the source answered. */
  readonly fault: SourceFault | null;
}

/** Milliseconds since 1970 by the database's clock, which alone decides how old something is. */
export type Clock = () => number;

/** Asks all sources at once about all tokens. Never fails: a source that does is silent, with the reason. */
export function askSources(
  sources: readonly PatientSource[],
  tokens: readonly string[],
  clock: Clock,
): Promise<SourceReport[]> {
  // What a source quotes in USDT can be told in dollars only beside the price of USDT.
  const needsUsdt = sources.some(
    ({ source }) => source.quotedIn === 'USDT' && tokens.some((token) => source.lists(token)),
  );
  const asked = needsUsdt ? [...new Set([...tokens, 'USDT'])] : tokens;
  return Promise.all(sources.map((source) => report(source, asked, clock)));
}

async function report(patient: PatientSource, tokens: readonly string[], clock: Clock): Promise<SourceReport> {
  const { source } = patient;
  const listed = tokens.filter((token) => source.lists(token));
  const told = listed.length === 0 ? new Map() : await patient.ask(listed);
  const receivedAtMs = clock();
  const readings = tokens.map((token) => [token, readingOf(source, token, told, receivedAtMs)] as const);
  return {
    source: source.name,
    role: source.role,
    quotedIn: source.quotedIn,
    readings: new Map(readings),
    fault: told instanceof SourceFault ? told : null,
  };
}

function readingOf(
  source: PriceSource,
  token: string,
  told: SourceAnswers | SourceFault,
  receivedAtMs: number,
): Reading {
  if (!source.lists(token)) return { source: source.name, silence: 'not_listed' };
  if (told instanceof SourceFault) return { source: source.name, silence: told.reason };
  const answer = told.get(token) ?? { silence: 'not_listed' };
  if ('silence' in answer) return { source: source.name, silence: answer.silence };
  const observedAtMs = answer.observedAtMs ?? receivedAtMs;
  return { source: source.name, value: answer.value, observedAtMs, maxAgeMs: source.maxAgeMs(token) };
}
