import type { CallFormat } from './call-format.js';
import { answerBody, readAnswers, readRequest } from './rpc-message.js';

/** JSON-RPC over HTTP: every call goes to the URL of the node. */
export const JSON_RPC: CallFormat = {
  name: 'JSON-RPC',
  hasPaths: false,
  readRequest: ({ body }) => readRequest(body),
  readAnswers,
  answerBody,
  write: (method, params) => ({ path: '', body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }) }),
};
