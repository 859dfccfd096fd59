import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { MikroORM } from '@mikro-orm/postgresql';
import { connectToDatabase, databaseThrough } from '../../../test/support/database-line.js';
import { PayoutScene } from '../../../test/support/payout-scene.js';
import { RecordingQueue } from '../../../test/support/recording-queue.js';
import { query } from '../../../test/support/sql.js';
import { vaultServices, type VaultServices } from '../../../test/support/vault-services.js';
import { ENTITIES } from '../../app/entities.js';
import { Database } from '../../platform/database/database.js';
import { ormOptions } from '../../platform/database/orm.config.js';

/** The message that commits a transaction. */
const COMMIT = /^Q.{4}commit\0/is;

let scene: PayoutScene;
let line: Server;
let orm: MikroORM;
let services: VaultServices;
/** Which message of the next COMMIT the connection drops: the question or the answer. */
let loses: 'question' | 'answer' | null;

beforeEach(async () => {
  scene = await PayoutScene.open();
  loses = null;
  line = createServer((near) => through(near, connectToDatabase(scene.db.url))).listen(0, '127.0.0.1');
  await once(line, 'listening');
  const url = databaseThrough(scene.db.url, (line.address() as AddressInfo).port);
  orm = await MikroORM.init(ormOptions({ url, poolMax: 2, entities: ENTITIES, migrations: [] }));
  services = vaultServices(new Database(orm), new RecordingQueue().queue);
});
afterEach(async () => {
  await orm.close(true);
  line.close();
  await scene.close();
});

function through(near: Socket, far: Socket): void {
  const end = (): void => {
    near.destroy();
    far.destroy();
  };
  let isLost = false;
  near.on('data', (asked) => {
    if (loses !== null && COMMIT.test(asked.toString('latin1'))) {
      if (loses === 'question') return end();
      isLost = true;
    }
    far.write(asked);
  });
  far.on('data', (answer) => (isLost ? end() : near.write(answer)));
  for (const socket of [near, far]) socket.on('error', end).on('close', end);
}

/** Signs a withdrawal whose COMMIT fails in this way; returns its id. */
async function signedInDoubt(how: 'question' | 'answer'): Promise<string> {
  const { id } = await scene.order(await scene.merchant());
  loses = how;
  await expect(services.signer.sign(scene.vault, id)).rejects.toThrow(/[Cc]onnection/);
  loses = null;
  return id;
}

const nextNonce = async (): Promise<string | undefined> =>
  (await scene.query<{ next_nonce: string }>(`select next_nonce from hot_wallet`))[0]?.next_nonce;

it('a commit without an answer is remembered when an older state is restored [H-106]', async () => {
  const id = await signedInDoubt('answer');
  expect(await nextNonce()).toBe('1');
  // A file copy of an older state has the identity of the server that it was taken from.
  await scene.db.owner.transaction(async (tx) => {
    await query(tx, `set local session_replication_role = replica`);
    await query(tx, `truncate chain_transaction, transaction_attempt, loss_item, vault_audit, expiry_proof`);
    await query(tx, `update withdrawal set signed_at = null`);
    await query(tx, `update hot_wallet set next_nonce = 0, chain_nonce = 0`);
  });
  await expect(services.signer.sign(scene.vault, id)).resolves.toBe('balance_unknown');
  await expect(services.signer.sign(scene.vault, id)).resolves.toBe('balance_unknown');
  await scene.query(`update hot_wallet set chain_nonce = 1`);
  await expect(services.signer.sign(scene.vault, id)).resolves.toBe('wallet_frozen');
});

it('a signature that was never committed is repeated once the chain was asked again, and freezes nothing', async () => {
  const id = await signedInDoubt('question');
  expect(await nextNonce()).toBe('0');
  await expect(services.signer.sign(scene.vault, id)).resolves.toBe('balance_unknown');
  await scene.countOnChain();
  await expect(services.signer.sign(scene.vault, id)).resolves.toBeNull();
  expect(await nextNonce()).toBe('1');
});

it('a commit without an answer that succeeded delays nothing', async () => {
  await signedInDoubt('answer');
  const { id } = await scene.order(await scene.merchant());
  await expect(services.signer.sign(scene.vault, id)).resolves.toBeNull();
  expect(await nextNonce()).toBe('2');
});
