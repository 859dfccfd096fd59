import { describeMails, type MailPlace, openMailPlace } from './mail-readings.js';

let place: MailPlace;
beforeAll(async () => {
  place = await openMailPlace();
});
afterAll(() => place.stop());

// By keyboard: `mails.e2e-spec.ts`.
describeMails('mouse', () => place);
