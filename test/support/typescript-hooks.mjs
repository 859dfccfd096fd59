// Lets Node load our sources directly (`--import` this file): it strips the types itself, and `.js` in an import
// means the `.ts` file. Sources with decorators or parameter properties cannot be loaded like this.
import { registerHooks } from 'node:module';
import { resolve } from './resolve-typescript.mjs';

registerHooks({ resolve });
