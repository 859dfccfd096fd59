import { HDNodeWallet } from 'ethers';
import type { Merchant } from './merchant.ts';
import type { MonthSandbox } from './month-sandbox.ts';

const NETWORK = 'polygon';
const COIN = 'POL';
/** Code of a contract that reverts every call, also one that only brings coins. */
const REFUSES = '0x5f5ffd';

/**
 * A customer pays in the network's own coin, and the merchant withdraws a half of it to a contract that takes none. The
 * simulation shows it, so that the withdrawal fails unsigned and its money is back in the pocket.
 */
export async function withdrawToRefusingContract(sandbox: MonthSandbox, merchant: Merchant): Promise<void> {
  const { id: intentId } = await merchant.createIntent({
    amount_cents: 18_000,
    currency: 'USD',
    network: NETWORK,
    token: COIN,
    reference: 'annual-plan-2207',
  });
  await merchant.generateAddress(intentId);
  await merchant.pay(intentId);
  await reached(sandbox, `select count(*) from payment_intent where id = $1 and status <> 'completed'`, intentId);
  const { address } = HDNodeWallet.createRandom();
  await sandbox.askNode(NETWORK, 'anvil_setCode', [address, REFUSES]);
  const pocket = (await merchant.pockets()).find(({ network, token }) => network === NETWORK && token === COIN);
  const id = await merchant.withdraw({
    pocket_id: pocket?.id,
    amount_cents: Math.floor((pocket?.available_cents ?? 0) / 2),
    destination: address,
    reference: 'to-our-multisig',
  });
  if (id === null) throw new Error('The withdrawal was not accepted.');
  await reached(sandbox, `select count(*) from withdrawal where id = $1 and status <> 'failed'`, id);
}

async function reached(sandbox: MonthSandbox, others: string, id: string): Promise<void> {
  if (!(await sandbox.untilNone(others, [id]))) throw new Error(`${id} did not end as expected.`);
}
