import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import type { Environment } from '../domain/network.js';
import { deriveBatch } from './derivation.js';
import { environmentKeys, type EnvironmentKeys, hotWalletOf, signExpiring, wipe } from './environment-keys.js';
import { hotWalletIndexOf } from './evm/evm-derivation.js';
import { signAuthorizations, signEvm } from './evm/evm-signing.js';
import { openVaultFile } from './vault-file.js';
import { parseRequest, requestIdOf, type VaultAnswer, type VaultQuestion, type VaultReply } from './vault-request.js';
import { VaultError } from './vault.js';

/** The data that the thread starts with. */
export interface WorkerStart {
  readonly path: string;
  readonly passphrase: string;
}

type Keys = Record<Environment, EnvironmentKeys>;

function answer(keys: Keys, question: Exclude<VaultQuestion, { type: 'close' }>): VaultAnswer {
  const environment = keys[question.environment];
  const { addresses, keys: kept } = environment;
  if (question.type === 'derive') {
    return {
      type: 'derived',
      addresses: deriveBatch(addresses.deposits[question.family], question.from, question.count),
    };
  }
  if (question.type === 'hot_wallet') return { type: 'derived', addresses: hotWalletOf(environment, question.network) };
  if (question.type === 'authorize_evm') {
    const { terms, deposits: asked } = question;
    kept.evm.deposits.load(asked.map(({ index }) => index));
    const signers = asked.map(({ index, nonce }) => ({ key: kept.evm.deposits.at(index), nonce }));
    return { type: 'authorized', authorizations: signAuthorizations(terms, signers) };
  }
  if (question.type === 'sign_expiring') {
    return { type: 'signed_expiring', transaction: signExpiring(environment, question.signers, question.unsigned) };
  }
  const key = kept.evm.hotWallets.at(hotWalletIndexOf(question.key.network));
  return { type: 'signed', transaction: signEvm(key, question.transaction) };
}

/** Returns the reply to any message; null when the message ends the thread. */
function replyTo(message: unknown, keys: Keys): VaultReply | null {
  try {
    const { id, question } = parseRequest(message);
    return question.type === 'close' ? null : { type: 'answered', id, answer: answer(keys, question) };
  } catch (error) {
    return { type: 'failed', id: requestIdOf(message), error };
  }
}

async function serve(port: MessagePort, { path, passphrase }: WorkerStart): Promise<void> {
  const send = (reply: VaultReply) => port.postMessage(reply);
  try {
    const entropy = await openVaultFile(path, passphrase);
    const keys = { sandbox: environmentKeys(entropy.sandbox), live: environmentKeys(entropy.live) };
    port.on('message', (message: unknown) => {
      const reply = replyTo(message, keys);
      if (reply) return send(reply);
      wipe(keys.sandbox);
      wipe(keys.live);
      port.close();
    });
    send({ type: 'opened' });
  } catch (error) {
    if (!(error instanceof VaultError)) throw error;
    send({ type: 'refused', reason: error.reason });
  }
}

if (!parentPort) throw new Error('The vault works with keys in a worker thread only.');
const start: WorkerStart = workerData;
await serve(parentPort, start);
