import type { NodeClient } from '../../chains/chain.js';
import type { AskOptions, ChainNodes, Opinion } from '../../chains/nodes/chain-nodes.js';
import type { SendingClient } from '../../chains/outgoing.js';

/** The nodes of a chain of any family, as far as they send. */
export interface SendingNodes {
  readonly count: number;
  attempt<T>(step: (client: SendingClient) => Promise<T>): Promise<T>;
  ask<T>(question: (client: SendingClient) => Promise<T | null>, options?: AskOptions): Promise<readonly Opinion<T>[]>;
}

/** A chain on which signed transactions are sent. */
export interface SendingChain {
  readonly chainRef: string;
  readonly nodes: SendingNodes;
  /** Whether a transaction expires, so that it is sent again sooner. */
  readonly expires: boolean;
}

/** Returns the sending part of a chain's nodes. */
export const sendingNodes = <Client extends NodeClient>(
  nodes: ChainNodes<Client>,
  senderOf: (client: Client) => SendingClient,
): SendingNodes => ({
  count: nodes.count,
  attempt: (step) => nodes.attempt(({ client }) => step(senderOf(client))),
  ask: (question, options) => nodes.ask((client) => question(senderOf(client)), options),
});
