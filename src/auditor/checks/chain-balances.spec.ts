import { AnvilNode } from '../../../test/support/anvil-node.js';
import { freshDatabase, type TestDatabase } from '../../../test/support/database.js';
import { aChain, freeAddresses, type SeededChain } from '../../../test/support/factories.js';
import { ProbeContract } from '../../../test/support/probe-contracts.js';
import { anUnattributedDeposit } from '../../../test/support/unattributed-deposits.js';
import { EvmChainClient } from '../../chains/evm/evm-chain-client.js';
import { findBalanceBreach } from './chain-balances.js';
import type { Finding } from '../check.js';

/** The block in which the factories put deposits. */
const ENOUGH_BLOCKS = 100;

let node: AnvilNode;
let client: EvmChainClient;
let db: TestDatabase;
let chain: SeededChain;
let token: ProbeContract;
let address: string;

beforeAll(async () => {
  node = await AnvilNode.start();
  client = new EvmChainClient({ profile: { network: 'polygon', finality: { minDepth: 3 } }, rpcUrl: node.url });
  db = await freshDatabase();
  chain = await aChain(db.database);
  await node.mine(ENOUGH_BLOCKS);
});
afterAll(async () => {
  await client.close();
  await node.stop();
  await db.drop();
});
beforeEach(async () => {
  token = await ProbeContract.deploy(node, 'FeeToken');
  [address = ''] = await freeAddresses(db.database, 1);
});

/** Makes a payment of 100 and a final deposit of what the listener reads. Returns the deposited amount. */
async function pay(): Promise<bigint[]> {
  const { block } = await token.send('transfer', address, 100n);
  const sightings = await client.transfersIn(block, [token.address], (to) => to === address);
  const amounts = sightings.map(({ amount }) => amount);
  for (const amount of amounts) {
    await anUnattributedDeposit(db.database, {
      chain,
      address,
      reason: 'address_not_assigned',
      contract: token.address,
      amount,
    });
  }
  return amounts;
}

async function breach(): Promise<Finding | null> {
  const final = await client.headerAt((await client.head()).height);
  if (final === null) throw new Error('There is a head.');
  const audited = { ...chain, tokens: [token.address], client, final };
  return findBalanceBreach(db.database, audited);
}

it('a token that takes a fee is credited with the received amount, and the address holds it [G-90]', async () => {
  expect(await pay()).toEqual([99n]);
  expect(await breach()).toBeNull();
});

it.each<[what: string, method: string, args: (holder: string) => readonly unknown[], holds: number, expected: number]>([
  ['hides that it took a fee', 'hide', () => [], 198, 199],
  ['is rebased down by its issuer', 'rebase', (holder) => [holder, 50n], 149, 198],
  ['is rebased up by its issuer', 'rebase', (holder) => [holder, 150n], 249, 198],
])('a token that %s is reported with the address [G-90]', async (_what, method, args, holds, expected) => {
  await pay();
  await token.send(method, ...args(address));
  await pay();
  expect(await breach()).toEqual({
    row: `address ${address}`,
    says: `holds ${holds} of ${token.address}, and its deposits and sweeps leave ${expected}`,
  });
});
