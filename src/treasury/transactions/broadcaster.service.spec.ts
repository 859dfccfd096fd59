import { keccak256 } from 'ethers';
import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import { FakeNode } from '../../../test/support/fake-node.js';
import { forEveryPurpose } from '../../../test/support/outcomes.js';
import { aHotWallet, anAttempt, anOutgoing } from '../../../test/support/outgoing.js';
import { runtimeServing, ServedChain } from '../../../test/support/served-chains.js';
import { createLogger } from '../../platform/logging.js';
import { Broadcaster } from './broadcaster.service.js';
import { NO_AUTHORIZATIONS } from './checked-signature.js';
import type { OutcomeHandler } from './outcome-handler.js';
import { TreasuryChains } from '../treasury-chains.service.js';

const silent = createLogger('silent');
const nothing = () => Promise.resolve(null);

let db: TestDatabase;
let polygon: ServedChain;
let bnb: ServedChain;
let chains: TreasuryChains;
let broadcaster: Broadcaster;
/** Hashes that the withdrawals were notified of. */
let notified: string[];
let whenNotified: () => Promise<unknown>;
let outcomes: OutcomeHandler;

beforeEach(async () => {
  db = await freshDatabase();
  polygon = await ServedChain.start(db.database, 'polygon');
  bnb = await ServedChain.start(db.database, 'bnb');
  for (const { chain, node } of [polygon, bnb]) {
    await aHotWallet(db.database, chain.chainRef);
    node.methods = { ...node.methods, eth_sendRawTransaction: (raw) => keccak256(String(raw)) };
  }
  notified = [];
  whenNotified = nothing;
  outcomes = {
    orderOf: nothing,
    authorizations: () => Promise.resolve(NO_AUTHORIZATIONS),
    wereBroadcast: async (_tx, facts) => {
      notified.push(...facts.map(({ txHash }) => txHash));
      await whenNotified();
    },
    reopen: () => Promise.resolve(),
    ended: () => Promise.resolve(),
  };
  chains = new TreasuryChains(db.database, runtimeServing([polygon.source, bnb.source]), silent);
  broadcaster = new Broadcaster(db.database, chains, forEveryPurpose(outcomes), silent);
});
afterEach(async () => {
  await chains.beforeApplicationShutdown();
  await Promise.all([polygon.node.stop(), bnb.node.stop()]);
  await db.drop();
});

/** The signed bytes that a node was handed, in their order. */
const handedTo = ({ node }: ServedChain): unknown[] =>
  node.requests
    .flatMap(({ questions }) => questions)
    .filter(({ method }) => method === 'eth_sendRawTransaction')
    .map(({ params }) => params[0]);

const makeDue = () => db.query(`update chain_transaction set due_at = now() - interval '1 second'`);

describe('a signed transaction', () => {
  it('is sent in the order of the nonces, the newest attempt of each, and again only when it is due [I-109]', async () => {
    const { chainRef } = polygon.chain;
    await anOutgoing(db.database, chainRef, { nonce: 1, raws: ['0x0211'] });
    await anOutgoing(db.database, chainRef, { nonce: 0, raws: ['0x0201', '0x0202'] });
    await broadcaster.sendDue();
    expect(handedTo(polygon)).toEqual(['0x0202', '0x0211']);
    expect(notified).toEqual(['0x0202', '0x0211'].map((raw) => keccak256(raw)));
    await broadcaster.sendDue();
    expect(handedTo(polygon)).toHaveLength(2);
    await makeDue();
    await broadcaster.sendDue();
    expect(handedTo(polygon)).toEqual(['0x0202', '0x0211', '0x0202', '0x0211']);
  });

  it('that was signed meanwhile is sent in the same round: no wake is lost on a busy chain', async () => {
    const { chainRef } = polygon.chain;
    await anOutgoing(db.database, chainRef, { nonce: 0, raws: ['0x0201'] });
    whenNotified = async () => {
      whenNotified = nothing;
      await anOutgoing(db.database, chainRef, { nonce: 1, raws: ['0x0211'] });
      await broadcaster.sendDue();
    };
    await broadcaster.sendDue();
    expect(handedTo(polygon)).toEqual(['0x0201', '0x0211']);
  });

  it('is not marked as broadcast while no node has it, and is once a node has it [I-109]', async () => {
    const id = await anOutgoing(db.database, polygon.chain.chainRef, { raws: ['0x0201'] });
    const refuse = () => {
      throw new Error('replacement transaction underpriced');
    };
    polygon.node.methods = {
      ...polygon.node.methods,
      eth_sendRawTransaction: refuse,
      eth_getTransactionByHash: () => null,
    };
    await broadcaster.sendDue();
    const isBroadcast = async () =>
      db.query(`select broadcast_at is not null as is from chain_transaction where id = $1`, [id]);
    expect([notified, await isBroadcast()]).toEqual([[], [{ is: false }]]);
    polygon.node.methods = { ...polygon.node.methods, eth_getTransactionByHash: (hash) => ({ hash }) };
    await makeDue();
    await broadcaster.sendDue();
    expect([notified, await isBroadcast()]).toEqual([[keccak256('0x0201')], [{ is: true }]]);
  });

  it('goes out on a chain while the node of another hangs [F-69]', async () => {
    bnb.node.speak = () => 'say nothing';
    await anOutgoing(db.database, bnb.chain.chainRef, { raws: ['0x0201'] });
    await anOutgoing(db.database, polygon.chain.chainRef, { raws: ['0x0301'] });
    await broadcaster.sendDue();
    await anOutgoing(db.database, polygon.chain.chainRef, { nonce: 1, raws: ['0x0302'] });
    await broadcaster.sendDue();
    expect(handedTo(polygon)).toEqual(['0x0301', '0x0302']);
    expect(handedTo(bnb)).toEqual([]);
  });

  it('that is refused is skipped: the others of its request are broadcast [I-109]', async () => {
    for (const [nonce, raw] of ['0x0201', '0x0211', '0x0221'].entries())
      await anOutgoing(db.database, polygon.chain.chainRef, { nonce, raws: [raw] });
    polygon.node.methods = {
      ...polygon.node.methods,
      eth_sendRawTransaction: (raw) => {
        if (raw === '0x0211') throw new Error('replacement transaction underpriced');
        return keccak256(String(raw));
      },
      eth_getTransactionByHash: () => null,
    };
    await broadcaster.sendDue();
    expect(notified).toEqual(['0x0201', '0x0221'].map((raw) => keccak256(raw)));
    const unsent = await db.query(`select nonce from chain_transaction where broadcast_at is null`);
    expect(unsent).toEqual([{ nonce: '1' }]);
  });

  it('is shown by the hash of its replacement from then on [I-115]', async () => {
    const id = await anOutgoing(db.database, polygon.chain.chainRef, { raws: ['0x0201'] });
    await broadcaster.sendDue();
    await anAttempt(db.database, id, 2, '0x0202');
    await makeDue();
    await broadcaster.sendDue();
    expect(notified).toEqual([keccak256('0x0201'), keccak256('0x0202')]);
  });
});

describe('on a chain with two nodes', () => {
  let other: FakeNode;
  let both: TreasuryChains;
  /** Signed bytes that the second node was handed. */
  let handedOver: unknown[];

  beforeEach(async () => {
    other = await FakeNode.start();
    const genesis = { hash: polygon.genesis, number: '0x0', parentHash: `0x${'00'.repeat(32)}`, timestamp: '0x1' };
    handedOver = [];
    other.methods = {
      ...polygon.node.methods,
      eth_getBlockByNumber: () => genesis,
      eth_sendRawTransaction: (raw) => {
        handedOver.push(raw);
        return keccak256(String(raw));
      },
    };
    const source = { ...polygon.source, rpcUrls: [polygon.node.url, other.url] };
    both = new TreasuryChains(db.database, runtimeServing([source]), silent);
    broadcaster = new Broadcaster(db.database, both, forEveryPurpose(outcomes), silent);
    await anOutgoing(db.database, polygon.chain.chainRef, { raws: ['0x0201'] });
  });
  afterEach(async () => {
    await both.beforeApplicationShutdown();
    await other.stop();
  });

  /** From here on the node refuses everything for this reason, and has the transaction already or not. */
  const refuse = (node: FakeNode, reason: string, hasIt = false): void => {
    node.methods = {
      ...node.methods,
      eth_sendRawTransaction: () => {
        throw new Error(reason);
      },
      eth_getTransactionByHash: (hash) => (hasIt ? { hash } : null),
    };
  };

  it('a transaction that the first refuses goes to the other; it is not broadcast when both refuse [I-109]', async () => {
    const { methods } = other;
    refuse(polygon.node, 'txpool is full');
    refuse(other, 'txpool is full');
    await broadcaster.sendDue();
    expect([handedOver, notified]).toEqual([[], []]);
    other.methods = methods;
    await makeDue();
    await broadcaster.sendDue();
    expect([handedOver, notified]).toEqual([['0x0201'], [keccak256('0x0201')]]);
  });

  it('a resend goes to both nodes: the first may accept it and not relay it [I-109]', async () => {
    await broadcaster.sendDue();
    expect([handedOver, notified]).toEqual([[], [keccak256('0x0201')]]);
    await makeDue();
    await broadcaster.sendDue();
    expect(handedOver).toEqual(['0x0201']);
  });

  it('a transaction that the other accepted before is marked as broadcast, though this was never recorded [I-109]', async () => {
    refuse(polygon.node, 'already known');
    refuse(other, 'already known', true);
    await broadcaster.sendDue();
    expect(notified).toEqual([keccak256('0x0201')]);
  });
});
