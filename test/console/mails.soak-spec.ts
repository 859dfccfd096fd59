import { describeMails, type MailPlace, openMailPlace } from './mail-readings.js';

let place: MailPlace;
beforeAll(async () => {
  place = await openMailPlace();
});
afterAll(() => place.stop());

describeMails('keyboard', () => place);
describeMails('mouse', () => place);
