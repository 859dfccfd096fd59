// Lets Node load our sources directly (`--import` this file): it strips the types itself, and `.js` in an import
// means the `.ts` file. Sources with decorators or parameter properties cannot be loaded like this.
import { registerHooks } from 'node:module';

registerHooks({
  resolve(specifier, context, next) {
    try {
      return next(specifier, context);
    } catch (error) {
      if (!specifier.startsWith('.') || !specifier.endsWith('.js')) throw error;
      return next(specifier.replace(/js$/, 'ts'), context);
    }
  },
});
