import { Injectable } from '@nestjs/common';
import { newWebhookSecret } from '../../domain/webhook-signature.js';
import { SecretBox, type SecretPlace } from '../../platform/secret-box.js';

/** A new secret, in clear for the merchant and sealed for the database. */
export interface IssuedSecret {
  readonly secret: string;
  readonly sealed: Buffer;
}

/** The number of opened secrets that a process keeps. */
const OPENED_MAX = 1_000;

/** Creates the signing secrets of endpoints, and opens sealed ones to sign. */
@Injectable()
export class EndpointSecrets {
  // Private to the instance in JavaScript too, so that neither a log nor an inspector prints it.
  readonly #opened = new Map<string, string>();

  constructor(private readonly box: SecretBox) {}

  issue(endpointId: string): IssuedSecret {
    const secret = newWebhookSecret();
    return { secret, sealed: this.box.seal(placeOf(endpointId), secret) };
  }

  /** @throws SecretBoxError when `SECRETS_KEY` is not the one it was sealed under. */
  open(endpointId: string, sealed: Buffer): string {
    // The key holds all sealed bytes, so that a tampered box is opened again, and refused.
    const key = `${endpointId} ${sealed.toString('latin1')}`;
    const known = this.#opened.get(key);
    if (known !== undefined) return known;
    const secret = this.box.open(placeOf(endpointId), sealed).toString('utf8');
    if (this.#opened.size >= OPENED_MAX) this.#opened.clear();
    this.#opened.set(key, secret);
    return secret;
  }
}

/** The place that an endpoint's secrets are sealed for. */
export const placeOf = (endpointId: string): SecretPlace => ({ purpose: 'webhook-secret', rowId: endpointId });
