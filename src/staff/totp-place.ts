import type { SecretPlace } from '../platform/secret-box.js';

/** The place of a member's sealed authenticator secret. */
export const totpPlaceOf = (staffId: string): SecretPlace => ({ purpose: 'totp-secret', rowId: staffId });
