import { AdoptionScene } from '../../test/support/adoption-scene.js';
import { query } from '../../test/support/sql.js';
import { aPlannedSweep } from '../../test/support/sweep-scene.js';
import { SWEEP_CHECKS } from '../auditor/checks/sweep-checks.sql.js';
import { differences } from '../payments/listener/native-remainders.js';
import { NATIVE_COIN } from '../domain/network.js';
import type { SignedEvmAuthorization } from '../chains/evm/evm-transaction.js';
import { sweepCalldata, type SweepItem } from '../chains/evm/sweep-call.js';
import { deploymentCall, type SweepContracts, sweepContracts } from '../chains/evm/sweep-contracts.js';
import type { DerivedAddress } from '../vault/vault.js';
import { finishSweeps } from '../treasury/sweeps/sweep-rows.js';

const STRANGER = `0x${'57'.repeat(20)}`;

let scene: AdoptionScene;
let contracts: SweepContracts;
/** A sweep that was planned again after the restore, of addresses whose funds are already swept. */
let planned: string;
let addresses: readonly DerivedAddress[];

beforeAll(async () => {
  scene = await AdoptionScene.open();
  contracts = sweepContracts(await scene.hotWallet());
});
afterAll(() => scene.close());
beforeEach(async () => {
  scene.minedAt = null;
  ({ id: planned, addresses } = await aPlannedSweep(scene.payouts, scene.payouts.chain, { nonces: [0, null] }));
});

const itemsOf = (list: readonly { readonly addressKey: string }[]): SweepItem[] =>
  list.map(({ addressKey: deposit }) => ({ deposit, tokenContract: scene.payouts.chain.contract }));

const delegations = (list: readonly DerivedAddress[], delegate = contracts.delegate.address) =>
  scene.payouts.vault.authorizeEvm(
    'sandbox',
    { chainId: 31_337n, delegate },
    list.map(({ index }) => ({ index, nonce: 0 })),
  );

const sweep = (items: readonly SweepItem[], authorizations: readonly SignedEvmAuthorization[] = []): Promise<string> =>
  scene.signed({
    to: contracts.batch.address,
    value: 0n,
    data: sweepCalldata(items),
    ...(authorizations.length > 0 && { authorizations }),
  });

describe('an unrecorded sweep', () => {
  it('is rebuilt from its bytes: items, delegations and balances, as the signer records them [H-106]', async () => {
    const hash = await sweep(itemsOf(addresses), await delegations(addresses.slice(0, 1)));
    const { purpose, purposeId } = await scene.adopt(hash);
    expect(purpose).toBe('sweep');
    const { database } = scene.payouts;
    const [row] = await query(
      database,
      `select signed_at is not null as is_signed, finished_at, delegate, batch from sweep where id = $1`,
      [purposeId],
    );
    const { delegate, batch } = contracts;
    expect(row).toEqual({ is_signed: true, finished_at: null, delegate: delegate.address, batch: batch.address });
    const items = await query(
      database,
      `select position, address_key, expected, authorization_nonce, item.swept, balance.sweep_id
         from sweep_item item join pool_address on id = item.address_id
         join deposit_balance balance using (chain_ref, token_contract, address_id)
        where item.sweep_id = $1 order by position`,
      [purposeId],
    );
    expect(items).toEqual(
      addresses.map(({ addressKey }, position) => ({
        position,
        address_key: addressKey,
        expected: '5',
        authorization_nonce: position === 0 ? '0' : null,
        swept: null,
        sweep_id: purposeId,
      })),
    );
    // The sweep that was planned for the same funds after the restore has ended without a result.
    const [given] = await query(
      database,
      `select finished_at is not null as has_ended, (select sum(swept) from sweep_item where sweep_id = $1) as swept
         from sweep where id = $1`,
      [planned],
    );
    expect(given).toEqual({ has_ended: true, swept: '0' });
  });

  it('waits for another sweep of the same balances that is not final', async () => {
    const { purposeId } = await scene.adopt(await sweep(itemsOf(addresses)));
    await expect(scene.adopt(await sweep(itemsOf(addresses.slice(0, 1))))).rejects.toThrow(
      `Sweep ${purposeId} takes some of the same balances and is not final yet: try again once it is.`,
    );
  });

  it('is refused with a foreign address, and changes nothing', async () => {
    const nonce = await scene.nextNonce();
    const hash = await sweep(itemsOf([...addresses, { addressKey: STRANGER }]));
    await expect(scene.adopt(hash)).rejects.toThrow(
      new RegExp(
        `^It sweeps 3 balances to the hot wallet. It takes funds from ${STRANGER}, which is no address of this`,
      ),
    );
    expect(await scene.nextNonce()).toBe(nonce);
    const open = await scene.payouts.query(`select from sweep where id = $1 and finished_at is null`, [planned]);
    expect(open).toHaveLength(1);
  });

  it('is refused when an address delegates to foreign code, or an address that it does not sweep delegates to ours', async () => {
    const [first] = addresses;
    if (first === undefined) throw new Error('There is an address.');
    const foreign = await sweep(itemsOf(addresses), await delegations([first], STRANGER));
    await expect(scene.adopt(foreign)).rejects.toThrow(/It makes an address run other code .*: 0x5757/);
    const beside = await sweep(itemsOf(addresses.slice(1)), await delegations([first]));
    await expect(scene.adopt(beside)).rejects.toThrow(`It carries the delegation of ${first.addressKey}`);
  });

  it('waits for the listener when the books have no balance to sweep', async () => {
    const [first] = addresses;
    const coins = [{ deposit: first?.addressKey ?? '', tokenContract: 'native' }];
    await expect(scene.adopt(await sweep(coins))).rejects.toThrow('where nothing lies by the books: let the listener');
    const twice = itemsOf(addresses.slice(0, 1));
    await expect(scene.adopt(await sweep([...twice, ...twice]))).rejects.toThrow('It sweeps one balance twice.');
  });

  it('is adopted once it is final although no deposit of its coin is recorded; the balance shows the deposit later [H-106]', async () => {
    const { database, chain } = scene.payouts;
    const [first] = addresses;
    if (first === undefined) throw new Error('There is an address.');
    const items = [...itemsOf(addresses), { deposit: first.addressKey, tokenContract: NATIVE_COIN }];
    const hash = await sweep(items);
    await expect(scene.adopt(hash)).rejects.toThrow('Once the sweep is final it is adopted all the same');
    scene.minedAt = new Date();
    await scene.setFinal();
    const { purposeId, transactionId } = await scene.adopt(hash);
    await database.transaction(async (tx) => {
      await query(
        tx,
        `update chain_transaction set status = 'succeeded', mined_hash = $2, mined_height = 7, fee_paid = 1, finished_at = now()
          where id = $1`,
        [transactionId, hash],
      );
      await query(
        tx,
        `update sweep_item set swept = case token_contract when 'native' then 12 else expected end, swept_height = 7
          where sweep_id = $1`,
        [purposeId],
      );
      await finishSweeps(tx, [purposeId]);
    });
    const found = await database.transaction(async (tx) => {
      const broken = [];
      for (const rule of SWEEP_CHECKS) broken.push(await rule.find(tx));
      const block = { height: 8, hash: '0x08', parentHash: '0x07', time: new Date() };
      const balances = [{ address: first.addressKey, units: 0n }];
      return { broken, missing: await differences(tx, chain.chainRef, block, balances) };
    });
    expect(found.missing).toEqual([{ address: first.addressKey, units: 12n, intentId: null }]);
    // The scene fills its balances without deposits.
    const rows = found.broken.flatMap((finding) => finding?.named.map(({ row }) => row) ?? []);
    expect(rows.filter((row) => row.includes(NATIVE_COIN))).toEqual([]);
  });

  it('waits until the cursor is set back when its token deposit was not recorded although the block was read', async () => {
    const { database, vault, chain } = scene.payouts;
    const [derived] = await vault.deriveAddresses('sandbox', 'evm', 9_000, 1);
    if (derived === undefined) throw new Error('The vault derives addresses.');
    const { index, path, address, addressKey } = derived;
    const [row] = await query<{ id: string }>(
      database,
      `insert into pool_address (environment, family, derivation_index, derivation_path, address, address_key)
       values ('sandbox', 'evm', $1, $2, $3, $4) returning id`,
      [index, path, address, addressKey],
    );
    const hash = await sweep(itemsOf([derived]));
    scene.minedAt = new Date();
    await scene.setFinal();
    await expect(scene.adopt(hash)).rejects.toThrow('no deposit of that was ever read, though its block was');
    // A deposit that still waits for the confirmation of a second node counts.
    await query(
      database,
      `insert into deposit (id, chain_ref, tx_hash, position, block_height, block_hash, block_time, token_contract,
         from_address, to_address, address_id, amount, status, unattributed_reason)
       values ('dep_seen', $1, '0x01', 0, 1, '0xb', now(), $2, '0xf', $3, $4, 7, 'seen', 'address_not_assigned')`,
      [chain.chainRef, chain.contract, addressKey, row?.id ?? null],
    );
    const { purposeId } = await scene.adopt(hash);
    expect(await query(database, `select expected from sweep_item where sweep_id = $1`, [purposeId])).toEqual([
      { expected: '0' },
    ]);
  });

  it('is not one of ours when a foreign contract sweeps to another recipient', async () => {
    const theirs = sweepContracts(STRANGER).batch.address;
    const hash = await scene.signed({ to: theirs, value: 0n, data: sweepCalldata(itemsOf(addresses)) });
    await expect(scene.adopt(hash)).rejects.toThrow('No withdrawal, refund, sweep or deployment does that.');
  });
});

describe('an unrecorded deployment', () => {
  it('of a sweep contract is adopted, whether or not the contract was found on the chain meanwhile', async () => {
    const { database, chain } = scene.payouts;
    await query(
      database,
      `insert into sweep_contract (id, chain_ref, kind, address, ready_at) values ('swc_found', $1, 'batch', $2, now())`,
      [chain.chainRef, contracts.batch.address],
    );
    for (const kind of ['delegate', 'batch'] as const) {
      const call = { ...deploymentCall(contracts[kind]), value: 0n };
      expect(await scene.adopt(await scene.signed(call))).toMatchObject({ purpose: 'contract', isNew: true });
      await expect(scene.adopt(await scene.signed({ ...call, gasLimit: 500_000n }))).rejects.toThrow(
        new RegExp(`^It deploys a sweep contract, the ${kind}. It deploys swc_\\w+ again`),
      );
    }
    const rows = await query(
      database,
      `select kind, signed_at is not null as is_signed, ready_at is not null as is_ready
         from sweep_contract where chain_ref = $1 order by kind`,
      [chain.chainRef],
    );
    expect(rows).toEqual([
      { kind: 'batch', is_signed: false, is_ready: true },
      { kind: 'delegate', is_signed: true, is_ready: false },
    ]);
  });
});
