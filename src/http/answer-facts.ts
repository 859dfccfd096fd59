import type { ServerResponse } from 'node:http';
import type { ErrorCode } from '../domain/errors.js';
import type { StoredAnswer } from './stored-answer.js';

/** What is known of an answer besides its status and headers. */
interface AnswerFacts {
  readonly errorCode?: ErrorCode;
  readonly stored?: StoredAnswer;
}

const facts = new WeakMap<ServerResponse, AnswerFacts>();

/** Notes the code of the error that is answered. */
export function noteErrorCode(res: ServerResponse, errorCode: ErrorCode): void {
  facts.set(res, { errorCode });
}

/** Notes the answer of a write. */
export function noteStoredAnswer(res: ServerResponse, stored: StoredAnswer): void {
  facts.set(res, { stored });
}

const NOTHING: AnswerFacts = {};

/** Returns what was noted about an answer. */
export const answerFactsOf = (res: ServerResponse): AnswerFacts => facts.get(res) ?? NOTHING;
