import type { RpcAnswer, RpcRequest } from './rpc-message.js';

/** One HTTP request of a client. */
export interface HttpCall {
  /** The path below the URL of the node, with a slash before it; empty for the URL itself. */
  readonly path: string;
  readonly body: string;
}

/** How a node's calls and answers are written in HTTP. */
export interface CallFormat {
  /** The name of the format, for messages. */
  readonly name: string;
  /** Whether a call is named by the path below the URL of the node. */
  readonly hasPaths: boolean;
  /** Reads a request; null when it has another format. */
  readRequest(call: HttpCall): RpcRequest | null;
  /** Reads a node's answers in the order of the calls; null unless there is one valid answer to each. */
  readAnswers(body: string, request: RpcRequest): readonly RpcAnswer[] | null;
  /** Writes answers. */
  answerBody(answers: readonly RpcAnswer[], isBatch: boolean): string;
  /** Writes a call of our own. */
  write(method: string, params: readonly unknown[]): HttpCall;
}
