import { invalidParam } from '../domain/errors.js';

/** Characters, as people count them. */
export const PASSWORD_LENGTH = { min: 12, max: 128 };
/** Fewer different characters are a pattern, such as `aaaabbbbaaaa`. */
const DIFFERENT_MIN = 5;

/**
 * Refuses passwords that are guessed first. Length matters, not composition: any characters are allowed.
 * @throws DomainError `invalid_request`
 */
export function assertStrongPassword(password: string, email: string, param: string): void {
  const text = password.toLowerCase();
  const [name = ''] = email.split('@', 1);
  if (new Set(text).size < DIFFERENT_MIN) throw invalidParam(param, `${param} repeats too few characters.`);
  if (text.includes(email) || (name.length > 3 && text.startsWith(name))) {
    throw invalidParam(param, `${param} must not contain the e-mail address.`);
  }
}
