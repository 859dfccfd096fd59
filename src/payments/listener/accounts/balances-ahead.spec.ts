import type { AccountClient } from '../../../chains/accounts.js';
import { NATIVE_COIN } from '../../../domain/network.js';
import { NodeBehind } from '../../../chains/chain.js';
import type { BalanceReading } from './account-reader.js';
import type { RoundStep } from './account-round.js';
import { BalancesAhead } from './balances-ahead.js';

const MINUTE = 60_000;

const stepOf = (account: string): RoundStep => ({
  accounts: [{ account, token: NATIVE_COIN, addressId: '1', hasSweeps: false }],
  below: null,
});
const due = stepOf('due');
const node = { network: 'solana' } as AccountClient;
const otherNode = { network: 'solana' } as AccountClient;

let nowMs: number;
/** What was asked for, in order. */
let asked: string[];
let isBehind: boolean;
let balances: BalancesAhead;
beforeEach(() => {
  nowMs = 0;
  asked = [];
  isBehind = false;
  const balancesOf = async (client: AccountClient, accounts: BalanceReading['accounts'], since: number) => {
    asked.push(`${accounts[0]?.account} at ${since} from ${client === node ? 'the node' : 'the other node'}`);
    if (isBehind) throw new NodeBehind('The node does not have this block.');
    return { accounts, beganAtMs: nowMs, balances: [] };
  };
  balances = new BalancesAhead({ balancesOf }, () => nowMs);
});

/** Reads the balances of a step ahead. */
async function ahead(step: RoundStep | null): Promise<void> {
  balances.begin(node, Promise.resolve(step), 10);
  await balances.settle();
}

async function longAgo(): Promise<void> {
  await ahead(due);
  nowMs = MINUTE + 1;
}

it('balances that were read ahead are not read again when their step is due', async () => {
  await ahead(due);
  nowMs = MINUTE;
  const { accounts, beganAtMs } = await balances.of(node, due.accounts, 11);
  expect(accounts).toBe(due.accounts);
  expect(beganAtMs).toBe(0);
  expect(asked).toEqual(['due at 10 from the node']);
});

it('balances that were read ahead serve one step', async () => {
  balances.begin(node, Promise.resolve(due), 10);
  await balances.of(node, due.accounts, 11);
  await balances.of(node, due.accounts, 12);
  expect(asked).toEqual(['due at 10 from the node', 'due at 12 from the node']);
});

it.each<[string, () => Promise<void>, AccountClient, string]>([
  ['of another step', () => ahead(stepOf('another')), node, 'due at 11 from the node'],
  ['of another node', () => ahead(due), otherNode, 'due at 11 from the other node'],
  ['older than a minute', longAgo, node, 'due at 11 from the node'],
  ['of a step that cannot be read', () => ahead(null), node, 'due at 11 from the node'],
  ['that were not read ahead', async () => undefined, node, 'due at 11 from the node'],
])('balances %s are read when the step is due', async (_which, before, client, last) => {
  await before();
  await balances.of(client, due.accounts, 11);
  expect(asked.at(-1)).toBe(last);
});

it('balances that the node could not return ahead are read when the step is due', async () => {
  isBehind = true;
  await ahead(due);
  isBehind = false;
  await balances.of(node, due.accounts, 11);
  expect(asked).toEqual(['due at 10 from the node', 'due at 11 from the node']);
});

it('the failure of a node that is asked when the step is due is passed on', async () => {
  isBehind = true;
  await ahead(due);
  await expect(balances.of(node, due.accounts, 11)).rejects.toThrow(NodeBehind);
});
