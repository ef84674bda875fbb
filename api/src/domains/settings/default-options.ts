import type { Option } from '@roastery/contract/settings';

/** The usual options of a roastery, in the order of the lists. */
export const defaultOptions: Record<Option['category'], readonly string[]> = {
  origin: [
    'Brazil',
    'Colombia',
    'Costa Rica',
    'El Salvador',
    'Ethiopia',
    'Guatemala',
    'Honduras',
    'Indonesia',
    'Kenya',
    'Panama',
    'Peru',
    'Rwanda',
  ],
  variety: [
    'Bourbon',
    'Castillo',
    'Catimor',
    'Catuai',
    'Caturra',
    'Gesha',
    'Heirloom',
    'Maragogype',
    'Mundo Novo',
    'Pacamara',
    'SL28',
    'Typica',
  ],
  process: ['Washed', 'Natural', 'Honey', 'Semi-Washed', 'Wet-Hulled', 'Anaerobic', 'Carbonic Maceration'],
  warehouse: ['Main Warehouse'],
  machine_type: ['RM7', 'RM15', 'RM30'],
};
