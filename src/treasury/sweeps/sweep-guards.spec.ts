import type { SeededChain } from '../../../test/support/factories.js';
import { PayoutScene } from '../../../test/support/payout-scene.js';
import { RecordingQueue } from '../../../test/support/recording-queue.js';
import { query } from '../../../test/support/sql.js';
import { aPlannedSweep } from '../../../test/support/sweep-scene.js';
import { vaultServices } from '../../../test/support/vault-services.js';

const SWEEP_TERMS = ['id', 'chain_ref', 'reason', 'delegate', 'batch', 'created_at'] as const;
const ITEM_TERMS = ['position', 'token_contract', 'expected', 'authorization_nonce'] as const;
const OTHER: Readonly<Record<string, string>> = {
  position: '99',
  expected: 'expected + 1',
  authorization_nonce: '99',
  created_at: `now() + interval '1 day'`,
};

let scene: PayoutScene;
let chain: SeededChain;
let id: string;

beforeAll(async () => {
  scene = await PayoutScene.open();
  ({ chain } = scene);
  ({ id } = await aPlannedSweep(scene, chain));
  await vaultServices(scene.database, new RecordingQueue().queue).sweeps.sign(scene.vault, 'sweep', id);
});
afterAll(() => scene.close());

/** Runs as the owner, so that only a guard can refuse. */
const tamper = (text: string) => query(scene.db.owner, text.replaceAll('$id', `'${id}'`));

describe('the database refuses from any caller', () => {
  it.each(SWEEP_TERMS)('another %s of a sweep', async (term) => {
    await expect(tamper(`update sweep set ${term} = ${OTHER[term] ?? `'other'`} where id = $id`)).rejects.toThrow(
      'keeps its terms',
    );
  });

  it.each(ITEM_TERMS)('another %s of an item', async (term) => {
    const change = `${term} = ${OTHER[term] ?? `'other'`}`;
    await expect(tamper(`update sweep_item set ${change} where sweep_id = $id and position = 0`)).rejects.toThrow(
      'keeps its terms',
    );
  });

  it.each([
    ['to delete a sweep', 'a sweep keeps its terms', `delete from sweep where id = $id`],
    ['to delete an item', 'an item of a sweep keeps its terms', `delete from sweep_item where sweep_id = $id`],
    ['to delete a balance', 'only grow', `delete from deposit_balance where sweep_id = $id`],
    ['to delete everything', 'append-only', `truncate sweep cascade`],
    ['to end what may be mined', 'may still be mined', `update sweep set finished_at = now() where id = $id`],
    [
      'to sweep what nothing moved',
      'moved nothing',
      `update sweep_item set swept = 1, swept_height = 1 where sweep_id = $id`,
    ],
    ['less than was received', 'only grow', `update deposit_balance set received = received - 1 where sweep_id = $id`],
    ['less than was swept', 'only grow', `update deposit_balance set swept = swept - 1 where sweep_id = $id`],
    [
      'to sweep one balance twice at once',
      'sweep_item_open',
      `insert into sweep_item (sweep_id, position, chain_ref, token_contract, address_id, expected)
       select sweep_id, 9, chain_ref, token_contract, address_id, expected from sweep_item
        where sweep_id = $id and position = 0`,
    ],
    [
      'a sweep that pays',
      'chain_transaction_amount_check',
      `insert into chain_transaction (id, chain_ref, purpose, purpose_id, sender, nonce, destination, value, data,
         gas_limit, token_contract, amount, status)
       select 'ctx_x', chain_ref, 'sweep', 'swp_x', '0x', 99, '0x', 0, '0x', 1, '0x', 1, 'signed' from sweep where id = $id`,
    ],
  ])('%s, by the rule that says so: %s', async (_what, rule, statement) => {
    await expect(tamper(statement)).rejects.toThrow(rule);
  });

  it('to change anything of a deployment that was given up', async () => {
    await tamper(
      `insert into sweep_contract (id, chain_ref, kind, address, trouble, abandoned_at)
       select 'swc_gone', chain_ref, 'batch', '0xb', 'deployment_failed', now() from sweep where id = $id`,
    );
    await expect(tamper(`update sweep_contract set trouble = null where id = 'swc_gone'`)).rejects.toThrow(
      'found once',
    );
    await expect(
      tamper(
        `insert into sweep_contract (id, chain_ref, kind, address, abandoned_at)
         select 'swc_2', chain_ref, 'batch', '0xc', now() from sweep where id = $id`,
      ),
    ).rejects.toThrow('sweep_contract_check');
  });
});
