create table if not exists orders (id text primary key, quantity integer not null);
