import { TronPayoutScene } from '../../../test/support/tron-payout-scene.js';
import { auditBlockChain } from '../../cli/chain-audit.js';
import { SigningFreeze } from '../../withdrawals/payouts/signing-freeze.service.js';
import { ExpiringAdoption } from './expiring-adoption.service.js';
import { UnrecordedSent } from './unrecorded-sent.service.js';

const STAFF = { actor: 'alice@vault-1', reason: 'restored to 03:00' };
/** What the scene orders of TRX, in sun. */
const ORDERED = 2_000_000n;

let scene: TronPayoutScene;
beforeAll(async () => {
  scene = await TronPayoutScene.funded();
});
afterAll(() => scene.close());

async function chain() {
  const [served] = await scene.worker.chains.expiring.active();
  if (served === undefined) throw new Error('The chain is not served.');
  return served;
}

const adopt = async (txHash: string, asLoss = false) =>
  new ExpiringAdoption(scene.database).adopt(await chain(), {
    ...STAFF,
    txHashes: [txHash],
    orderId: null,
    asLoss,
    supersede: false,
  });

/** Puts a payment of the hot wallet that no row has into a final block, and lets the worker find it. */
async function landedElsewhere(recipient: string, sequence: number): Promise<string> {
  const signed = await scene.signedElsewhere(recipient, ORDERED, sequence);
  expect(await scene.handOver(signed)).toBe(true);
  await scene.makeFinal();
  await scene.worker.checkSent();
  expect(await scene.frozenReason()).toContain('not recorded here');
  return signed.txHash;
}

/** Ends what was adopted, and unfreezes the wallet. Nothing is missing any more, by the books and by the chain. */
async function expectInOrder(): Promise<void> {
  await scene.worker.confirm();
  const place = { environment: 'sandbox', network: 'tron' } as const;
  await scene.database.transaction((tx) => new SigningFreeze().unfreezeNetwork(tx, place, STAFF, { unknown: [] }));
  await scene.trust();
  expect(await scene.frozenReason()).toBeNull();
  await scene.worker.readBalances();
  await scene.worker.bookTopUps();
  expect(await scene.breaches()).toEqual([]);
  const [blocks] = await scene.worker.chains.blocks.active();
  if (blocks === undefined) throw new Error('The chain is not read.');
  const { rules } = await auditBlockChain(scene.database, blocks);
  expect(rules.flatMap(({ name, finding }) => (finding === null ? [] : [[name, finding]]))).toEqual([]);
}

describe('a payment on Tron that a restored database does not have', () => {
  it('is listed with its order, adopted for it, and completes the withdrawal once', async () => {
    const merchant = await scene.merchant('TRX');
    const { id, destination } = await scene.order(merchant);
    const txHash = await landedElsewhere(destination, 4_000);
    const listed = await new UnrecordedSent(scene.database).of(await chain());
    expect(listed?.transactions).toMatchObject([{ txHash, succeeded: true, action: expect.stringContaining(id) }]);
    expect(await adopt(txHash)).toMatchObject([{ isNew: true, purpose: 'withdrawal', purposeId: id }]);
    expect(await adopt(txHash)).toMatchObject([{ isNew: false, purpose: 'withdrawal', purposeId: id }]);
    await expectInOrder();
    expect(await scene.shown(id)).toMatchObject({ status: 'completed', tx_hash: txHash });
    expect(await scene.balanceOf(destination, 'TRX')).toBe(ORDERED);
    await scene.sign();
    expect(await scene.payouts(id)).toHaveLength(1);
  });

  it('to one of our addresses, as the funding of a sweep is, is adopted as a loss, and credits nothing', async () => {
    const { address } = await scene.base.intent('TRX');
    const before = await scene.base.deposits();
    const txHash = await landedElsewhere(address, 4_002);
    expect(await adopt(txHash, true)).toMatchObject([{ isNew: true, purpose: 'loss' }]);
    await expectInOrder();
    expect(await scene.base.deposits()).toEqual(before);
  });

  it('that nothing ordered is adopted as a loss alone', async () => {
    const txHash = await landedElsewhere(await scene.freshAddress(), 4_001);
    await expect(adopt(txHash)).rejects.toThrow();
    expect(await adopt(txHash, true)).toMatchObject([{ isNew: true, purpose: 'loss' }]);
    await expectInOrder();
    const { id } = await scene.order(await scene.merchant('USDT'));
    await scene.sign();
    await scene.finish();
    expect(await scene.shown(id)).toMatchObject({ status: 'completed' });
  });
});
