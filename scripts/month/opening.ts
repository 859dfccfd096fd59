import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { sdnAdvanced } from '../../test/support/sdn-advanced.ts';
import { Merchant } from './merchant.ts';
import type { MonthSandbox } from './month-sandbox.ts';
import { LISTED_PAYER, payFromWallet } from './payers.ts';
import type { Receivers } from './receivers.ts';
import { SHOPS } from './shops.ts';
import { Staff } from './staff.ts';

const created = z.object({ id: z.string() });
const createdKey = z.object({ id: z.string(), key: z.string() });
const SCOPES = ['read', 'payments:write', 'withdrawals:write', 'webhooks:write'];
/** USDC on polygon, in smallest units: what the listed wallet can spend. */
const LISTED_FUNDS = 50_000_000_000n;
const ASSETS: Readonly<Record<string, string>> = { evm: 'ETH', tron: 'TRX', solana: 'SOL', bitcoin: 'XBT' };

/** The people at the console. */
export interface Team {
  readonly owner: Staff;
  /** An administrator. */
  readonly emilia: Staff;
  readonly kim: Staff;
  readonly noor: Staff;
  readonly tom: Staff;
}

/** A merchant with what it needs to be called by name. */
export interface OpenShop {
  readonly merchant: Merchant;
  readonly endpointId: string;
}

/** Invites the team, each with a role. */
export async function inviteTeam(sandbox: MonthSandbox): Promise<Team> {
  const { url, admin } = sandbox.service;
  if (admin === undefined) throw new Error('The sandbox has no administrator.');
  const owner = new Staff(url, admin);
  await owner.signIn();
  const invite = async (name: string, role: string): Promise<Staff> => {
    const email = `${name}@coffer.example`;
    const link = await sandbox.coffer('staff', 'invite', '--email', email, '--role', role, '--env', 'sandbox');
    return Staff.join(url, email, link);
  };
  return {
    owner,
    emilia: await invite('emilia.rossi', 'admin'),
    kim: await invite('kim.larsen', 'support'),
    noor: await invite('noor.haddad', 'support'),
    tom: await invite('tom.becker', 'viewer'),
  };
}

/** Creates the merchants, their keys and their endpoints, in the order of `SHOPS`. */
export async function openShops(
  sandbox: MonthSandbox,
  { emilia }: Team,
  receivers: Receivers,
): Promise<readonly OpenShop[]> {
  const opened: OpenShop[] = [];
  for (const [index, { name, endpoint }] of SHOPS.entries()) {
    const { id } = created.parse(await emilia.act('/merchants', { name, reason: 'The contract is signed.' }));
    const body = { name: `${endpoint} (server)`, scopes: SCOPES, reason: 'Onboarding.' };
    const { key } = createdKey.parse(await emilia.act(`/merchants/${id}/keys`, body));
    const merchant = new Merchant(sandbox.service.url, { id, key });
    const endpointId = await merchant.createEndpoint({
      url: receivers.urlOf(index),
      description: endpoint,
      event_types: ['*'],
    });
    opened.push({ merchant, endpointId });
  }
  return opened;
}

/** Imports a list with one more address, that of a customer's wallet, and gives the wallet something to spend. */
export async function listWallet(sandbox: MonthSandbox, dir: string): Promise<void> {
  const listed = await sandbox.query<{ family: string; address_key: string; name: string | null }>(
    'select family, address_key, name from sanctioned_address where removed_in is null',
  );
  const published = new Date(sandbox.clock.now()).toISOString().slice(0, 10);
  const known = listed.flatMap(({ family, address_key: address, name }) => {
    const asset = ASSETS[family];
    return asset === undefined ? [] : [{ name: name ?? 'A LISTED PARTY', addresses: [[asset, address] as const] }];
  });
  const parties = [...known, { name: 'GARANTEX EUROPE OU', addresses: [['ETH', LISTED_PAYER.address] as const] }];
  const file = join(dir, 'sdn_advanced.xml');
  writeFileSync(file, await sdnAdvanced({ publishedOn: published, parties }));
  await sandbox.coffer('sanctions', 'import', file, '--force');
  await payFromWallet(sandbox, 'polygon', { to: LISTED_PAYER.address, token: 'USDC', amount: LISTED_FUNDS });
}
