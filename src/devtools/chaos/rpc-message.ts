import { z } from 'zod';

const QUESTION = z.looseObject({ id: z.unknown(), method: z.string(), params: z.array(z.unknown()).default([]) });
const REQUEST = z.union([QUESTION, z.array(QUESTION).min(1)]);
const ANSWER = z.union([
  z.object({ id: z.unknown(), error: z.looseObject({ code: z.number(), message: z.string() }) }),
  z.object({ id: z.unknown(), result: z.unknown() }),
]);
const ANSWERS = z.union([ANSWER, z.array(ANSWER)]);

/** One JSON-RPC call of the client. */
export type RpcQuestion = Readonly<z.infer<typeof QUESTION>>;

/** A node's answer to a call: a result, which may be null, or an error. */
export type RpcOutcome =
  { readonly result: unknown } | { readonly error: { readonly code: number; readonly message: string } };

/** An outcome with the id of its call. */
export type RpcAnswer = RpcOutcome & { readonly id: unknown };

/** The body of one HTTP request. */
export interface RpcRequest {
  readonly questions: readonly RpcQuestion[];
  readonly isBatch: boolean;
}

/** Parses the body of an HTTP request; null when it is not JSON-RPC. */
export function readRequest(body: string): RpcRequest | null {
  const { data } = REQUEST.safeParse(parsedJson(body));
  return data === undefined ? null : { questions: [data].flat(), isBatch: Array.isArray(data) };
}

/** Parses a node's answers in the order of the calls; null unless there is one valid answer to each. */
export function readAnswers(body: string, { questions, isBatch }: RpcRequest): readonly RpcAnswer[] | null {
  const { data } = ANSWERS.safeParse(parsedJson(body));
  if (data === undefined || Array.isArray(data) !== isBatch) return null;
  const byId = new Map([data].flat().map((answer) => [answer.id, answer]));
  const answers = questions.map(({ id }) => byId.get(id)).filter((answer) => answer !== undefined);
  return answers.length === questions.length ? answers : null;
}

/** Returns the body of an HTTP answer: a list for a batch, else the one answer. */
export function answerBody(answers: readonly RpcAnswer[], isBatch: boolean): string {
  const body = answers.map((answer) => ({ jsonrpc: '2.0', ...answer }));
  return JSON.stringify(isBatch ? body : body[0]);
}

/** Parses JSON; undefined when it is none. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
