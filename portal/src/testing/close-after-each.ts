import { afterEach } from 'vitest';
import { closePortal } from './open-portal.tsx';

afterEach(closePortal);

// happy-dom draws nothing and has no fonts to load.
Object.defineProperty(document, 'fonts', { configurable: true, value: { load: () => Promise.resolve([]) } });
