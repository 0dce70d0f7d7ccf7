--liquibase formatted sql
--changeset ann:1
create table plant(id int primary key, name varchar(5));
--changeset ann:2
insert into plant values (1, 'Rhododendron');
