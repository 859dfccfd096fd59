import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import type { AddressFamily, Environment } from '../domain/network.js';
import { deriveBatch, seedOf, type Derivation } from './derivation.js';
import {
  DEPOSIT_ACCOUNT,
  evmDerivation,
  evmPrivateKeys,
  HOT_WALLET_ACCOUNT,
  HOT_WALLET_INDEX,
} from './evm/evm-derivation.js';
import { signAuthorizations, signEvm } from './evm/evm-signing.js';
import { KeptKeys } from './kept-keys.js';
import {
  DEPOSIT_STEP,
  HOT_WALLET_STEP,
  SOLANA_HOT_WALLET_INDEX,
  solanaDerivation,
  solanaKey,
} from './solana/solana-derivation.js';
import { signMoves } from './solana/solana-signing.js';
import { tronDerivation } from './tron/tron-derivation.js';
import { openVaultFile } from './vault-file.js';
import { parseRequest, requestIdOf, type VaultAnswer, type VaultQuestion, type VaultReply } from './vault-request.js';
import { VaultError } from './vault.js';

/** The data that the thread starts with. */
export interface WorkerStart {
  readonly path: string;
  readonly passphrase: string;
}

interface EnvironmentKeys {
  readonly seed: Uint8Array;
  readonly deposits: Readonly<Record<AddressFamily, Derivation>>;
  readonly hotWallets: Readonly<Record<'evm' | 'solana', Derivation>>;
  readonly depositKeys: KeptKeys;
  readonly hotWalletKeys: KeptKeys;
}

type Keys = Record<Environment, EnvironmentKeys>;

function environmentKeys(entropy: Buffer): EnvironmentKeys {
  const seed = seedOf(entropy);
  entropy.fill(0);
  return {
    seed,
    deposits: {
      evm: evmDerivation(seed, DEPOSIT_ACCOUNT),
      solana: solanaDerivation(seed, DEPOSIT_STEP),
      tron: tronDerivation(seed),
    },
    hotWallets: {
      evm: evmDerivation(seed, HOT_WALLET_ACCOUNT),
      solana: solanaDerivation(seed, HOT_WALLET_STEP),
    },
    depositKeys: new KeptKeys((indexes) => evmPrivateKeys(seed, DEPOSIT_ACCOUNT, indexes)),
    hotWalletKeys: new KeptKeys((indexes) => evmPrivateKeys(seed, HOT_WALLET_ACCOUNT, indexes)),
  };
}

function wipe({ seed, depositKeys, hotWalletKeys }: EnvironmentKeys): void {
  seed.fill(0);
  depositKeys.wipe();
  hotWalletKeys.wipe();
}

function answer(keys: Keys, question: Exclude<VaultQuestion, { type: 'close' }>): VaultAnswer {
  const { seed, deposits, hotWallets, depositKeys, hotWalletKeys } = keys[question.environment];
  if (question.type === 'derive') {
    return { type: 'derived', addresses: deriveBatch(deposits[question.family], question.from, question.count) };
  }
  if (question.type === 'hot_wallet') {
    const { network } = question;
    const [derivation, index] =
      network === 'solana' ? [hotWallets.solana, SOLANA_HOT_WALLET_INDEX] : [hotWallets.evm, HOT_WALLET_INDEX[network]];
    return { type: 'derived', addresses: deriveBatch(derivation, index, 1) };
  }
  if (question.type === 'authorize_evm') {
    const { terms, deposits: asked } = question;
    depositKeys.load(asked.map(({ index }) => index));
    const signers = asked.map(({ index, nonce }) => ({ key: depositKeys.at(index), nonce }));
    return { type: 'authorized', authorizations: signAuthorizations(terms, signers) };
  }
  if (question.type === 'sign_expiring') {
    const signers = question.signers.map((signer) =>
      signer.kind === 'hot_wallet'
        ? solanaKey(seed, SOLANA_HOT_WALLET_INDEX, HOT_WALLET_STEP)
        : solanaKey(seed, signer.index, DEPOSIT_STEP),
    );
    return { type: 'signed_expiring', transaction: signMoves(signers, question.unsigned) };
  }
  const key = hotWalletKeys.at(HOT_WALLET_INDEX[question.key.network]);
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
