import { Injectable } from '@nestjs/common';
import { DomainError } from '../../domain/errors.js';
import type { Environment } from '../../domain/network.js';
import type { Tenant } from '../../domain/tenant.js';
import { lastActionOn } from '../../platform/audit-trail.js';
import { Database, rows, type Tx } from '../../platform/database/database.js';
import type { RowOf } from '../../platform/sql/sql.js';
import { type NetworkPlace, subjectOf } from './signing-freeze.service.js';
import { lockWallet } from './signing-freeze.sql.js';
import { freezesOf, signingPlaces } from './signing-places.sql.js';

/** One freeze of a place: its author, its time and its reason. */
export type Freeze = Omit<RowOf<typeof freezesOf>, 'subject'>;

/** A network or a merchant, and why nothing is signed there; null where it is. */
export interface SigningPlace extends RowOf<typeof signingPlaces> {
  /** Since it was last unfrozen, the oldest first. An audit of the books freezes without an entry here. */
  readonly freezes: readonly Freeze[];
}

/** Shows staff where payments are signed. */
@Injectable()
export class SigningPlaces {
  constructor(private readonly database: Database) {}

  /** Returns every network with a hot wallet and every frozen merchant of an environment. */
  async all(environment: Environment): Promise<readonly SigningPlace[]> {
    const places = await this.database.rows(signingPlaces(environment));
    const frozen = places.filter(({ frozenReason }) => frozenReason !== null);
    const freezes = await this.database.rows(freezesOf(frozen.map(({ subject }) => subject)));
    return places.map((place) => ({ ...place, freezes: freezes.filter(({ subject }) => subject === place.subject) }));
  }

  /** Returns the error about a place that cannot be unfrozen, since it is not frozen; it names who acted last. */
  async notFrozen(tx: Tx, place: NetworkPlace | Tenant): Promise<DomainError> {
    const [wallet] = 'network' in place ? await rows(tx, lockWallet(place)) : [];
    const subject = 'network' in place ? wallet?.chainRef : subjectOf(place);
    const last = subject === undefined ? null : await lastActionOn(tx, subject);
    const said = last === null ? '' : ` It was changed last ${last}.`;
    return new DomainError('invalid_state_transition', `It is not frozen.${said}`);
  }
}
