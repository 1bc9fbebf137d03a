# docs: initial
from django.db import migrations, models

import shop.fields


class Migration(migrations.Migration):
    initial = True
    operations = [
        migrations.RunSQL(
            "SELECT idgen.idgen_create('parts', refill => 'auto')",
            "DELETE FROM idgen.id_sequences WHERE name = 'parts'",
        ),
        # from here on as makemigrations writes it
        migrations.CreateModel(
            name="Legacy",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("item", models.TextField()),
            ],
            options={"db_table": "legacy"},
        ),
        migrations.CreateModel(
            name="Part",
            fields=[
                ("id", shop.fields.IdgenField(primary_key=True, sequence="parts", serialize=False)),
                ("item", models.TextField()),
            ],
            options={"db_table": "parts"},
        ),
    ]
# docs: end
