import { afterEach } from 'vitest';
import { closePortal } from './open-portal.tsx';

afterEach(closePortal);

// happy-dom has no locks under their name; a browser without HTTPS has not even the name.
Reflect.deleteProperty(Navigator.prototype, 'locks');
// happy-dom draws nothing and has no fonts to load.
Object.defineProperty(document, 'fonts', { configurable: true, value: { load: () => Promise.resolve([]) } });
