import { z } from 'zod';
import type { CallFormat } from './call-format.js';
import { parsedJson } from './rpc-message.js';

const PATH = /^\/((?:wallet|walletsolidity)\/[a-z0-9]+)$/;
const PARAMS = z.record(z.string(), z.unknown());
const FAILED = z.object({ Error: z.string() });

/**
 * The HTTP interfaces of Tron: the method is the path, such as `wallet/getblock`, and its one parameter is the body. Errors
 * have status 200.
 */
export const TRON_HTTP: CallFormat = {
  name: 'the HTTP interface of Tron',
  hasPaths: true,
  readRequest: ({ path, body }) => {
    const [, method] = PATH.exec(path) ?? [];
    const { data: params } = PARAMS.safeParse(body === '' ? {} : parsedJson(body));
    if (method === undefined || params === undefined) return null;
    return { questions: [{ id: null, method, params: [params] }], isBatch: false };
  },
  readAnswers: (body) => {
    const result = parsedJson(body);
    if (result === undefined) return null;
    const { data } = FAILED.safeParse(result);
    return [data === undefined ? { id: null, result } : { id: null, error: { code: 0, message: data.Error } }];
  },
  answerBody: ([answer]) => {
    if (answer === undefined) return '';
    return JSON.stringify('error' in answer ? { Error: answer.error.message } : answer.result);
  },
  write: (method, [params]) => ({ path: `/${method}`, body: JSON.stringify(params ?? {}) }),
};
