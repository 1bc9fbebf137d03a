# docs: adopt
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("shop", "0001_initial")]
    operations = [
        migrations.RunSQL(
            "SELECT idgen.idgen_adopt('legacy', 'id')",
            "SELECT idgen.idgen_release('legacy', 'id', 'serial')",
        ),
    ]
# docs: end
