import { AdoptionScene } from '../../test/support/adoption-scene.js';
import { RecordingQueue } from '../../test/support/recording-queue.js';
import { aPlannedSweep } from '../../test/support/sweep-scene.js';
import { vaultServices } from '../../test/support/vault-services.js';
import { checkRules } from '../auditor/books-verification.js';
import type { SweepSpecSigner } from '../../test/support/spec-signer.js';
import { query } from '../../test/support/sql.js';
import { sweepCalldata } from '../chains/evm/sweep-call.js';
import { deploymentCall, type SweepContracts, sweepContracts } from '../chains/evm/sweep-contracts.js';

const SUPERSEDE = { supersede: true };

let scene: AdoptionScene;
let sweeps: SweepSpecSigner;
let contracts: SweepContracts;

beforeAll(async () => {
  scene = await AdoptionScene.open();
  ({ sweeps } = vaultServices(scene.payouts.database, new RecordingQueue().queue));
  contracts = sweepContracts(await scene.hotWallet());
  scene.minedAt = new Date();
  await scene.setFinal();
});
afterAll(() => scene.close());
beforeEach(() => scene.unfreeze());

const place = async (): Promise<number> => (await scene.nextNonce()) - 1;
const statuses = async (purposeId: string): Promise<string[]> => {
  const rows = await scene.payouts.query<{ status: string }>(
    `select status from chain_transaction where purpose_id = $1 order by nonce, status`,
    [purposeId],
  );
  return rows.map(({ status }) => status);
};

/** The broken rules of the books, except those that the scene itself breaks: its addresses have no deposits. */
const broken = () =>
  scene.payouts.database.transaction(async (tx) => {
    const { rules } = await checkRules(tx);
    const unheld = ['deposit_balances_add_up', 'chain_owes_what_lies_there'];
    return rules.flatMap(({ name, finding }) => (finding === null || unheld.includes(name) ? [] : [[name, finding]]));
  });

it('a superseded sweep releases its balances before the adopted one takes them [H-106]', async () => {
  const { database, chain, vault } = scene.payouts;
  const { id, addresses } = await aPlannedSweep(scene.payouts, chain, { nonces: [null, null] });
  expect(await sweeps.sign(vault, 'sweep', id)).toBeNull();
  const items = addresses.slice(0, 1).map(({ addressKey: deposit }) => ({ deposit, tokenContract: chain.contract }));
  const call = { to: contracts.batch.address, value: 0n, data: sweepCalldata(items) };
  const hash = await scene.signed({ ...call, nonce: await place() });
  const { purpose, purposeId } = await scene.adopt(hash, null, SUPERSEDE);
  expect(purpose).toBe('sweep');
  expect(await statuses(id)).toEqual(['superseded']);
  const balances = await query(
    database,
    `select balance.sweep_id, item.swept from deposit_balance balance join sweep_item item using (chain_ref, token_contract, address_id)
      where item.sweep_id = $1 order by position`,
    [id],
  );
  // The balances that the adopted one left can be planned again.
  expect(balances).toEqual([
    { sweep_id: purposeId, swept: '0' },
    { sweep_id: null, swept: '0' },
  ]);
  expect(await broken()).toEqual([]);
});

it('a superseded deployment is signed again; of two that were mined, one is a loss of gas', async () => {
  const { database, chain, vault } = scene.payouts;
  await query(database, `insert into sweep_contract (id, chain_ref, kind, address) values ('swc_1', $1, 'batch', $2)`, [
    chain.chainRef,
    contracts.batch.address,
  ]);
  expect(await sweeps.sign(vault, 'contract', 'swc_1')).toBeNull();
  const burnt = await scene.signed({ value: 0n, nonce: await place() });
  await scene.adopt(burnt, null, { ...SUPERSEDE, asLoss: true });
  await scene.unfreeze();
  expect(await sweeps.sign(vault, 'contract', 'swc_1')).toBeNull();
  expect(await statuses('swc_1')).toEqual(['superseded', 'signed']);
  const again = await scene.signed({ ...deploymentCall(contracts.batch), value: 0n, gasLimit: 999_999n });
  await expect(scene.adopt(again)).rejects.toThrow('It deploys swc_1 again, which has its transaction already.');
  expect(await scene.adopt(again, null, { asLoss: true })).toMatchObject({ purpose: 'loss' });
  expect(await broken()).toEqual([]);
});
