import * as fc from 'fast-check';
import { AccountVersions, type StoredAccount } from './account-versions.js';

const KEYS = ['aa', 'bb', 'cc'] as const;
const accountWith = (lamports: number): StoredAccount | null =>
  lamports === 0 ? null : { lamports: BigInt(lamports), data: new Uint8Array(), owner: '00', executable: false };

type Accounts = Map<string, StoredAccount | null>;
/** What each slot writes, in order. */
const SLOTS = fc.array(fc.array(fc.tuple(fc.constantFrom(...KEYS), fc.nat(5)), { maxLength: 4 }), { maxLength: 8 });

const NOTHING: Accounts = new Map(KEYS.map((key) => [key, null]));

/** Writes all slots and returns the accounts after each of them. */
function write(slots: readonly (readonly (readonly [string, number])[])[], versions: AccountVersions): Accounts[] {
  const states = [NOTHING];
  for (const [i, writes] of slots.entries()) {
    const accounts = new Map(states.at(-1));
    for (const [key, lamports] of writes) {
      versions.remember(i + 1, key, accounts.get(key) ?? null);
      accounts.set(key, accountWith(lamports));
    }
    states.push(accounts);
  }
  return states;
}

describe('the undo log', () => {
  it('has every account as it was after every slot, and rolls back to any slot that is not final', () => {
    fc.assert(
      fc.property(SLOTS, fc.nat(8), fc.nat(8), (slots, someSlot, finalSlot) => {
        const versions = new AccountVersions();
        const states = write(slots, versions);
        const now: Accounts = new Map(states.at(-1));
        const final = Math.min(finalSlot, slots.length);
        versions.forget(final);
        for (let slot = final; slot <= slots.length; slot += 1) {
          for (const key of KEYS) {
            const older = versions.after(slot, key);
            expect(older === undefined ? now.get(key) : older).toEqual(states[slot]?.get(key));
          }
        }
        const target = Math.max(final, Math.min(someSlot, slots.length));
        for (const [key, account] of versions.rollBack(target)) now.set(key, account);
        expect(now).toEqual(states[target]);
        for (const key of KEYS) expect(versions.after(target, key)).toBeUndefined();
      }),
    );
  });
});
