import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dataFilesOf } from '../../src/app/start/data-files.js';
import { type CliRun, runCommand } from './cli-run.js';
import type { TronScene } from './tron-scene.js';

/** Runs commands on the database of a scene, with its chain as the one of the sandbox. */
export class TronCommands {
  private constructor(
    private readonly scene: TronScene,
    private readonly dataDir: string,
  ) {}

  static async of(scene: TronScene): Promise<TronCommands> {
    const dataDir = await mkdtemp(join(tmpdir(), 'coffer-commands-'));
    const { rig, tokens, profile } = scene;
    const tron = {
      rpc_url: rig.url,
      chain_id: profile.chainId,
      tokens: Object.fromEntries(Object.entries(tokens).map(([symbol, address]) => [symbol, { address, decimals: 6 }])),
      pockets: {},
      faucet: { address: '', private_key: '' },
    };
    const file = { api_url: rig.url, api_key: '', merchant_id: '', networks: { tron } };
    await writeFile(dataFilesOf(dataDir).sandbox, JSON.stringify(file), { mode: 0o600 });
    return new TronCommands(scene, dataDir);
  }

  run(...args: readonly string[]): Promise<CliRun> {
    return runCommand([...args], { DATABASE_URL: this.scene.db.url, DATA_DIR: this.dataDir });
  }

  async close(): Promise<void> {
    await rm(this.dataDir, { recursive: true });
  }
}
